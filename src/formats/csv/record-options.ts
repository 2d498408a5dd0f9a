import type { Dialect } from './dialect.ts';
import type { LongField } from './long-field.ts';
import type { Position } from './position.ts';

/** How a `RecordReader` reads. */
export interface RecordOptions {
  dialect: Dialect;
  /** The input's name, for messages only. */
  file: string;
  /** Fields of the header; with one, an empty line is a record with an empty value. */
  width: number;
  /** Most rows in a batch. */
  batchRows: number;
  /** Most bytes of a batch's request body, as far as it can be told from its records; asked anew for each. */
  batchBytes: () => number;
  /** Bytes that a request body needs for a row beyond those of its record: names, quotes, braces. */
  rowOverhead: number;
  /** Most bytes of one record; what is longer stops the run. */
  maxRecordBytes: number;
  /** Number of the last row to read; undefined means all. */
  limit?: number | undefined;
  /** Where the first byte that will be pushed stands in the input. */
  start: Position;
  /** Called for the first quoted field that is suspiciously long, when its record is read. */
  onLongField?: ((field: LongField) => void) | undefined;
}
