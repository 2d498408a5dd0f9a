import type { Dialect } from '../base/parse-records.ts';
import type { Fault } from './records/faults.ts';
import type { Reject } from './records/reject.ts';

/** A record in a buffer: its content is `bytes[start, contentEnd)`. */
export interface RecordAt {
  readonly bytes: Buffer;
  readonly start: number;
  readonly contentEnd: number;
}

/** The appended fields of a record of an output. */
export interface AppendedAt extends RecordAt {
  /** Whether each value is a text there, if the format tells; fewer if the record has other members than those. */
  readonly areTexts?: readonly boolean[] | undefined;
}

/** Compares the records of an input with those of its output. All methods are functions of bytes. */
export interface Comparison {
  /** Whether a row keeps its own bytes and its line ending, or only the values of its fields. */
  readonly preserves: 'bytes' | 'values';
  /**
   * How a record of the output ends: like that of the input, with a line feed if that has a line ending, or in any way.
   */
  readonly lineEnds: 'alike' | 'line feed' | 'any';
  /** The names that the input's columns have in the output. */
  readonly ownNames: readonly string[];
  /**
   * The names of the appended columns, or their number if the output does not name columns; or why it is not an output
   * of this input.
   */
  readonly appended: readonly string[] | number | { readonly wrong: string };
  /** Whether what is before the first record ends with the same line ending in both. */
  readonly endsAlike: boolean;
  /**
   * How the fields that `appendedOf` and `afterOwn` give are written: as delimited text, whatever the format of the
   * files is.
   */
  readonly dialect: Dialect;
  /** What the output has of a record of the input. */
  own(input: RecordAt): RecordAt;
  /**
   * The fields that are appended to a record, each after a delimiter, but the first one only if there are own fields.
   *
   * @param own what `own` gave of a record of the input
   * @returns undefined if the record of the output has other fields of its own; overwritten by the next call
   */
  appendedOf(own: RecordAt, output: RecordAt): AppendedAt | undefined;
  /** The fields after the own ones, whatever the own ones are; undefined if there are fewer fields than columns. */
  afterOwn(output: RecordAt): AppendedAt | undefined;
  /** Whether a record of the output has these own fields, whatever is after them. */
  hasOwn(own: RecordAt, output: RecordAt): boolean;
  /** The index of the first own field that differs. */
  changedColumn(own: RecordAt, output: RecordAt): number;
}

/** What is wrong with the names of appended columns that no run gives them. */
export const NOT_NAMED =
  'the appended columns are not named <prefix>_<class>, optionally followed by predicted_<column>';

/** The records of a rejects file. */
export interface RejectRecords {
  /** What is wrong with the beginning of a rejects file, which must name the columns of the input; else undefined. */
  wrongHeader(rejects: { readonly preamble: Buffer }, input: string): string | undefined;
  /**
   * What a record has before the bytes of the row; undefined if it is not one of a rejects file.
   *
   * @param isEdited whether a program that rows were corrected with may have written it again, with other spaces
   */
  head(record: RecordAt, isEdited?: boolean): RejectTexts | undefined;
  /**
   * Whether a record that was written again means what a run writes for a row of the input; by default, only its bytes
   * tell.
   *
   * @param reject without the bytes of the row
   */
  means?(record: RecordAt, reject: Omit<Reject, 'record'>, input: RecordAt): boolean;
  /** The code and reason of a fault as a record has them: its bytes from `causeAt` to `at`. */
  cause(fault: Pick<Fault, 'code' | 'reason' | 'hint'> | { code: string; reason: string }): Buffer;
  /** The bytes from `at` to the end of a record, for a row of the input. */
  row(input: RecordAt): Buffer;
  /** A row, with all that was appended to it, of a record whose row begins at `at`; without its line ending. */
  rowOf(record: RecordAt, at: number): Buffer;
}

/** What a record of a rejects file has before the bytes of the row. */
export interface RejectTexts {
  readonly row: string;
  readonly line: string;
  readonly code: string;
  readonly reason: string;
  /** Where `reject_code` begins. */
  readonly causeAt: number;
  /** Where the row begins. */
  readonly at: number;
}
