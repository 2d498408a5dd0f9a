import type { Batch } from './batch.ts';
import type { BatchReader } from './batch-reader.ts';
import type { ByteSource } from './byte-source.ts';

/** Rows from a pipe that have waited this long are sent as an incomplete batch. */
const MAX_WAIT_MS = 200;

export interface BatchesOptions {
  records: BatchReader;
  /** Bytes of the source that were read already. */
  rest: Buffer;
  source: Omit<ByteSource, 'name' | 'contentName'>;
  /** Aborted when no further batch is wanted; the source is closed then. */
  stop?: AbortSignal;
}

/**
 * The records stage: a source cut into batches.
 *
 * @throws RowcastError if the input is invalid or cannot be read, after the batches before the error
 */
export async function* readBatches({ records, rest, source, stop }: BatchesOptions): AsyncGenerator<Batch> {
  try {
    yield* records.push(rest);
    let waited = 0;
    while (!records.full) {
      const asked = performance.now();
      const { value, done } = await source.chunks.next();
      if (done || stop?.aborted) break;
      waited += performance.now() - asked;
      for (const batch of records.push(value)) {
        waited = 0;
        yield batch;
      }
      // A producer that writes a line now and then is never idle for long, but its rows must not wait either.
      // This does not apply to files, however slow: their batches must be the same in every run.
      if (waited < MAX_WAIT_MS || !source.isLive) continue;
      waited = 0;
      yield* records.push(Buffer.alloc(0));
    }
    if (stop?.aborted) return;
    // If the file is being written or truncated, its last record may be incomplete.
    if (!records.full) await source.checkUnchanged();
    yield* records.end();
  } catch (failure) {
    // Closing the source to stop the run makes the read fail; that error is ignored.
    if (!stop?.aborted) throw failure;
  }
}
