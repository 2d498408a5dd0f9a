import type { Batch } from './batch.ts';
import type { ByteSource } from './byte-source.ts';
import type { InputRange } from './position.ts';

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

/** Cuts an input, or a part of it, into batches of whole records, whatever the chunks are. */
export interface BatchReader {
  /** Whether all records that are wanted were read. */
  readonly full: boolean;
  /** Adds a chunk and yields the batches that it completes; an empty one yields the complete records so far. */
  push(chunk: Uint8Array): Iterable<Batch>;
  /** Ends the input and yields the remaining records. */
  end(): Iterable<Batch>;
  /** The memory of the batches before an input offset may be reused. */
  release(offset: number): void;
}

/** How an input, or a part of it, is cut into batches. The first byte is the one at the start of the range. */
export interface BatchOptions extends InputRange {
  /** The input's name, for messages only. */
  file: string;
  /** Maximum number of rows in a batch. */
  batchRows: number;
  /** Whether a batch ends at the latest with a row whose number is a multiple of `batchRows`, wherever it begins. */
  onGrid?: boolean | undefined;
  /** Maximum size of a batch's request body, as estimated from its records; called for each batch; by default any. */
  batchBytes?: (() => number) | undefined;
  /** Bytes per row in a request body in addition to the record: names, quotes, braces; by default none. */
  rowOverhead?: number | undefined;
  /** Maximum size of a record; a longer one stops the run. */
  maxRecordBytes: number;
  /** Number of the last row to read; undefined means all. */
  limit?: number | undefined;
  /** Whether the batches' bytes are in memory that threads share. */
  isShared?: boolean | undefined;
  /**
   * Whether each record is a row, even one without a value or with the names of the header, because the text was made
   * of rows.
   */
  areRows?: boolean | undefined;
  /** Called for the first suspiciously long quoted field. */
  onLongField?: ((field: LongField) => void) | undefined;
}

/**
 * A quoted field that is longer than text usually is. A stray quote makes one: the rows up to the next quote become
 * part of its field, without an error.
 */
export interface LongField {
  /** Line on which its quote opens, 1-based. */
  line: number;
  /** Its row, 1-based; 0 for the header. */
  row: number;
  /** Bytes between its quotes. */
  bytes: number;
  /** Number of lines it spans. */
  lines: number;
}
