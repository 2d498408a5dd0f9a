import { EventEmitter, once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { RowcastError } from '../../../base/errors.ts';
import { fromThreadError } from '../../../base/thread-error.ts';
import type { Checked, Growth } from './growing-file.ts';
import type { Profile } from './profile-shape.ts';
import type { ProfileOutcome, WorkerJob } from './profile-worker.ts';

/** A profile that is made in a thread of its own while the file is written, so that predictions are not delayed. */
interface RunningProfile {
  /** Call this after each write. */
  onGrowth(size: number): void;
  /** Call this after the last write. */
  onWhole(size: number): void;
  /** Rejects as soon as an error is found, which may be long before the file is whole. */
  outcome: Promise<Profile>;
  /**
   * Waits until almost all of the first `size` bytes are checked, or the profile has ended. An upload that waits for it
   * is not faster than its check, so that its progress is that of both.
   */
  keptUp(size: number): Promise<void>;
  stop(): Promise<void>;
}

/** What a profile may take besides a zstd window: together, as much as an upload is counted with. A file of ordinary columns needs a fourth. */
const MAX_HEAP_MB = 384;

/** Enough that neither waits for the other if they are equally fast. */
const MAX_UNCHECKED_BYTES = 4 << 20;

export function startProfile(job: WorkerJob): RunningProfile {
  // The compiled file's name: unlike imports, URLs are not rewritten.
  const worker = new Worker(new URL('./profile-worker.js', import.meta.url), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    // Options of the process, such as --input-type, may forbid starting a file.
    execArgv: [],
  });
  let checked = 0;
  const progress = new EventEmitter<{ checked: [] }>();
  const onChecked = (bytes: number): void => {
    checked = bytes;
    progress.emit('checked');
  };
  const post = (growth: Growth): void => worker.postMessage(growth);
  const outcome = new Promise<Profile>((resolve, reject) => {
    // Only the thread posts here, and only these.
    worker.on('message', (message: Checked | ProfileOutcome) => {
      if ('checked' in message) onChecked(message.checked);
      else if ('failure' in message) reject(fromThreadError(message.failure));
      else resolve(message.profile);
    });
    worker.once('error', cause => reject(unlessTooLarge(cause)));
    worker.once('exit', code => reject(new Error(`the profile's thread exited with code ${code}`)));
  });
  const onEnd = (): void => onChecked(Number.POSITIVE_INFINITY);
  // The upload may fail first, and then nobody waits for the outcome.
  outcome.then(onEnd, onEnd);
  return {
    onGrowth: size => post({ size, isWhole: false }),
    onWhole: size => post({ size, isWhole: true }),
    outcome,
    async keptUp(size) {
      while (size - checked > MAX_UNCHECKED_BYTES) await once(progress, 'checked');
    },
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
