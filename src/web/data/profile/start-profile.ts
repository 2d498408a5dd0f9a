import { EventEmitter, once } from 'node:events';
import { RowcastError } from '../../../base/errors.ts';
import { isOutOfMemory, resultOf, startThread } from '../../../base/thread-result.ts';
import type { Profile } from './profile-shape.ts';
import type { WorkerJob } from './profile-worker.ts';

/**
 * What a profile may take besides a zstd window: together, as much as an upload is counted with. A file of ordinary
 * columns needs a fourth.
 */
const MAX_HEAP_MB = 384;

/** Enough that neither waits for the other if they are equally fast. */
const MAX_UNCHECKED_BYTES = 4 << 20;

/** Makes a profile in a thread of its own while the file arrives, so that predictions are not delayed. */
export function startProfile(job: WorkerJob) {
  const worker = startThread(new URL('./profile-worker.js', import.meta.url), job, {
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  let checked = 0;
  const progress = new EventEmitter<{ checked: [] }>();
  const onChecked = (bytes: number): void => {
    checked = bytes;
    progress.emit('checked');
  };
  const outcome = resultOf<Profile, number>(worker, 'profiling', { onMessage: onChecked }).catch(cause => {
    if (!isOutOfMemory(cause)) throw cause;
    const message = 'the file has too many columns or too long values to be examined';
    throw new RowcastError('out_of_memory', message, { cause });
  });
  const onEnd = (): void => onChecked(Number.POSITIVE_INFINITY);
  // The upload may fail first, and then nobody waits for the outcome.
  outcome.then(onEnd, onEnd);
  return {
    /** Passes on the next bytes of a file that is not Parquet; they are copied. */
    write(bytes: Uint8Array): void {
      if (bytes.length === 0) return;
      // A copy, because other buffers may be in the same memory, which is transferred whole.
      const own = new Uint8Array(bytes);
      worker.postMessage(own, [own.buffer]);
    },
    /** Call this after the last bytes. */
    end: () => worker.postMessage(new Uint8Array()),
    /** Rejects as soon as an error is found, which may be long before the file is whole. */
    outcome,
    /**
     * Waits until almost all of the first `size` bytes are checked, or the profile has ended. An upload that waits for
     * it is not faster than its check, so that its progress is that of both.
     */
    async keptUp(size: number): Promise<void> {
      while (size - checked > MAX_UNCHECKED_BYTES) await once(progress, 'checked');
    },
    async stop(): Promise<void> {
      await worker.terminate();
    },
  };
}
