import { CR, contentEnd, countLines, LF, type LineEndings } from './line-endings.ts';
import { INPUT_START, type Position } from './position.ts';

/** Consecutive complete records as raw bytes, which a scorer gets together or in parts. */
export interface Batch {
  readonly bytes: Buffer;
  /** Offsets in `bytes` after each record's line ending. */
  readonly ends: Int32Array;
  /** Each record's `RecordKind`; same length as `ends`. */
  readonly kinds: Uint8Array;
  /** Position of the first byte in the input, and of the first byte after the batch. */
  readonly start: Position;
  readonly end: Position;
  /**
   * The input ends here without a line feed: the last record may be the beginning of a longer one, because a
   * truncated stream looks the same.
   */
  readonly mayBeTruncated: boolean;
}

/** Offset in `batch.bytes` at which record `index` begins. */
export const startOf = (batch: Batch, index: number): number =>
  index === 0 ? 0 : (batch.ends[index - 1] ?? 0);

/** The kind of record `index`, which must be in the batch. */
export const kindOf = (batch: Batch, index: number): RecordKind => batch.kinds[index] as RecordKind;

/** Number of rows: records that are not blank lines. */
export function countRows(batch: Batch, from = 0, to = batch.kinds.length): number {
  let rows = 0;
  for (let index = from; index < to; index++) if (batch.kinds[index] !== RecordKind.blank) rows++;
  return rows;
}

/**
 * A batch of a single record. Its position in the input is not known.
 *
 * @param kind a record without quotes is also read correctly as a quoted one
 */
export const batchOfOne = (record: Buffer, kind: RecordKind = RecordKind.quoted): Batch => ({
  bytes: record,
  ends: Int32Array.of(record.length),
  kinds: Uint8Array.of(kind),
  start: INPUT_START,
  end: INPUT_START,
  mayBeTruncated: false,
});

/** The members of a layout that depend only on how its records end. */
export function recordEnds(endings: LineEndings) {
  const lines = (bytes: Uint8Array, start: number, end: number): number =>
    countLines(bytes, start, end, endings);
  const positionOf = (batch: Batch, index: number): Position => {
    const at = startOf(batch, index);
    return {
      offset: batch.start.offset + at,
      row: batch.start.row + countRows(batch, 0, index),
      line: batch.start.line + lines(batch.bytes, 0, at),
    };
  };
  return {
    positionOf,
    countLines: lines,
    contentEnd: (bytes: Uint8Array, start: number, end: number): number =>
      contentEnd(bytes, start, end, endings),
    endsRecord: (byte: number | undefined): boolean => byte === LF || (endings.loneCr && byte === CR),
    slice(batch: Batch, from: number, to: number): Batch {
      const at = startOf(batch, from);
      return {
        bytes: batch.bytes.subarray(at, startOf(batch, to)),
        ends: batch.ends.slice(from, to).map(end => end - at),
        kinds: batch.kinds.slice(from, to),
        start: positionOf(batch, from),
        end: positionOf(batch, to),
        mayBeTruncated: batch.mayBeTruncated && to === batch.ends.length,
      };
    },
  };
}

/** The kind of a record, determined from its bytes alone. */
export const RecordKind = {
  /** No field is quoted: splitting at the delimiter gives the fields. */
  plain: 0,
  /** A field is quoted. */
  quoted: 1,
  /** An empty line in a file with several columns: not a record, but copied to the output. */
  blank: 2,
  /** Text follows a closing quote: the fields are ambiguous. */
  malformed: 3,
  /** It has the names of the header: joined files have a header each. */
  header: 4,
  /** All its fields are empty: spreadsheets write such records for empty rows. */
  empty: 5,
  /** A column that is written as numbers has a text in it. */
  notANumber: 6,
} as const;
export type RecordKind = (typeof RecordKind)[keyof typeof RecordKind];
