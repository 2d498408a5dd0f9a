import { countLines, type Dialect } from './dialect.ts';
import { RecordKind } from './scan.ts';

/** Consecutive whole records that travel in one `batch-persona` call, as the bytes that they came in. */
export interface Batch {
  readonly bytes: Buffer;
  /** Offsets in `bytes` just past each record's line ending. */
  readonly ends: readonly number[];
  /** One a record; same length as `ends`. */
  readonly kinds: readonly RecordKind[];
  /** Number of the first row, 1-based; the header and blank lines are not counted. */
  readonly row: number;
  /** Line of the input at which `bytes` begins, 1-based. */
  readonly line: number;
  /** Offset in the input at which `bytes` begins. */
  readonly offset: number;
}

/** Offset in `batch.bytes` at which record `index` begins. */
export const startOf = (batch: Batch, index: number): number =>
  index === 0 ? 0 : (batch.ends[index - 1] ?? 0);

/** How many rows the batch holds: its records without the blank lines. */
export function countRows(batch: Batch, from = 0, to = batch.kinds.length): number {
  let rows = 0;
  for (let index = from; index < to; index++) if (batch.kinds[index] !== RecordKind.blank) rows++;
  return rows;
}

/** Line and row of record `index`, in the units that a person can look up. */
export function placeOf(batch: Batch, index: number, dialect: Dialect): { line: number; row: number } {
  return {
    line: batch.line + countLines(batch.bytes, 0, startOf(batch, index), dialect),
    row: batch.row + countRows(batch, 0, index),
  };
}

/** The records `[from, to)` of a batch as a batch of their own; the bytes are shared. */
export function sliceBatch(batch: Batch, from: number, to: number, dialect: Dialect): Batch {
  const start = startOf(batch, from);
  const { line, row } = placeOf(batch, from, dialect);
  return {
    bytes: batch.bytes.subarray(start, startOf(batch, to)),
    ends: batch.ends.slice(from, to).map(end => end - start),
    kinds: batch.kinds.slice(from, to),
    row,
    line,
    offset: batch.offset + start,
  };
}
