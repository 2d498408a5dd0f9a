import { Worker } from 'node:worker_threads';
import { RowcastError } from '../../../errors.ts';
import { fromThreadError } from '../../../thread-error.ts';
import type { Growth } from './growing-file.ts';
import type { Profile } from './profile-shape.ts';
import type { ProfileOutcome, WorkerJob } from './profile-worker.ts';

/** A profile that is made in a thread of its own while the file is written, so that predictions are not delayed. */
export interface RunningProfile {
  /** Call this after each write. */
  onGrowth(size: number): void;
  /** Call this after the last write. */
  onWhole(size: number): void;
  /** Rejects as soon as an error is found, which may be long before the file is whole. */
  outcome: Promise<Profile>;
  stop(): Promise<void>;
}

/** What a profile may take; a file of ordinary columns needs a tenth. */
const MAX_HEAP_MB = 1024;

export function startProfile(job: WorkerJob): RunningProfile {
  // The compiled file's name: unlike imports, URLs are not rewritten.
  const worker = new Worker(new URL('./profile-worker.js', import.meta.url), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    // Options of the process, such as --input-type, may forbid starting a file.
    execArgv: [],
  });
  const post = (growth: Growth): void => worker.postMessage(growth);
  const outcome = new Promise<Profile>((resolve, reject) => {
    worker.once('message', (message: ProfileOutcome) => {
      if ('failure' in message) reject(fromThreadError(message.failure));
      else resolve(message.profile);
    });
    worker.once('error', cause => reject(unlessTooLarge(cause)));
    worker.once('exit', code => reject(new Error(`the profile's thread exited with code ${code}`)));
  });
  // The upload may fail first, and then nobody waits for the outcome.
  outcome.catch(() => {});
  return {
    onGrowth: size => post({ size, isWhole: false }),
    onWhole: size => post({ size, isWhole: true }),
    outcome,
    async stop() {
      await worker.terminate();
    },
  };
}

function unlessTooLarge(error: Error): Error {
  if (!('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')) return error;
  return new RowcastError(
    'out_of_memory',
    'the file has too many columns or too long values to be examined',
    {
      cause: error,
    },
  );
}
