import type { Batch } from './batch.ts';
import type { InputRange } from './position.ts';

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
