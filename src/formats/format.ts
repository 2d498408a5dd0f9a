import type { Predictions } from '../base/contract/predictions.ts';
import type { BatchMemory } from '../base/kernel/batch-memory.ts';
import type { PipedFile } from '../base/shell-pipe.ts';
import type { GroupEncoder, StoredBytes, TextOfFile } from '../base/text-of-file.ts';
import type { Appended, AppendedOptions } from './appended.ts';
import type { Comparison, RejectRecords } from './comparison.ts';
import type { EncoderOf, GroupEncoding } from './group-encoding.ts';
import type { ColumnOptions } from './output-columns.ts';
import type { ReadAs, ReadOptions } from './read-options.ts';
import type { Batch } from './records/batch.ts';
import type { ByteSource } from './records/byte-source.ts';
import type { Fault } from './records/faults.ts';
import type { Fields } from './records/fields.ts';
import type { Position } from './records/position.ts';
import type { BatchOptions, BatchReader, LongField } from './records/read-batches.ts';
import type { MalformedCause, MalformedRecord, Reject } from './records/reject.ts';
import type { RowGroups } from './records/row-groups.ts';

/** How records are written as bytes. A row keeps its own bytes from the input to the output. */
export interface Format {
  /** Part of what identifies a run. */
  readonly name: string;
  /** Whether a file is of this format by its name, which has no suffix of a compression. */
  isNameOf(file: string): boolean;
  /**
   * Whether a file whose name is that of no format is of this one, by its first bytes.
   *
   * @param isAll whether it must be decided now
   * @returns undefined if more bytes are needed
   */
  begins(bytes: Buffer, isAll: boolean): boolean | undefined;
  /**
   * Reads what is before the first record, and as much more as it needs to name the columns. It takes at least one
   * chunk.
   */
  readLayout(source: ByteSource, options: ReadOptions & ColumnOptions): Promise<Opened>;
  /**
   * What a command's options mean for a file.
   *
   * @param file its name, without the suffix of a compression
   * @throws RowcastError `bad_dialect`
   */
  readAs(options: Pick<ReadOptions, 'delimiter' | 'quote' | 'escape'>, file: string): ReadAs;
  /**
   * Makes the text of a file that is not text, as the layout of its source has, in a thread that did not read the
   * beginning of the input.
   *
   * @param data of that text
   * @throws RowcastError
   */
  textOf?(stored: StoredBytes, file: string, data: unknown): Promise<TextOfFile>;
  /**
   * Makes files of this format, if they are no text but groups of rows, of the rows of an input. The columns of an
   * input of the same format are copied.
   *
   * @throws RowcastError `missing_columns`
   */
  encoder?(layout: Layout, encoding: GroupEncoding): Promise<EncoderOf>;
  /**
   * Compares such a file with what `encoder` makes of its rows, byte for byte.
   *
   * @returns an offset before bytes that differ, undefined if none do
   * @throws RowcastError `unreadable_input`
   */
  compareWritten?(source: ByteSource, written: WrittenColumns): Promise<number | undefined>;
  /**
   * Opens such a file that was written, to write it again with corrected rows.
   *
   * @throws RowcastError `usage` if that cannot be done
   */
  openWritten?(source: ByteSource, columns: RepairedColumns): Promise<OpenedGroups>;
}

/** Describes the input from which a file of groups was made. */
export interface WrittenColumns extends Pick<ColumnOptions, 'keep' | 'rename'> {
  readonly input: Layout;
  /** The number of its columns that are those of the input. */
  readonly own: number;
}

/** The columns of a file that is written again. */
export interface RepairedColumns extends Pick<ColumnOptions, 'rename'> {
  /** The layout of the rows that are in the rejects. */
  readonly rejects: Layout;
  /** The names of the appended columns. */
  readonly appended: readonly string[];
  /** Texts that stood for a missing number when the file was made. */
  readonly nulls: readonly string[];
}

/** A file of groups that is written again: its rows as a text, and what makes groups of them. */
export interface OpenedGroups extends Opened {
  readonly groups: RowGroups;
  readonly encoder: GroupEncoder;
  /** A corrected row as the text has it: with the fields that the file has, where they stand for the same values. */
  asWritten(corrected: Buffer, former: Buffer): Buffer;
  /**
   * Extends a group by a row that the file does not have.
   *
   * @param after the number of rows of the file before it; never fewer than in the call before
   * @returns the row that the added one is compared with by `asWritten`; undefined if rows cannot be added
   */
  addRow(after: number): Buffer | undefined;
  /** Whether the columns can have the fields of a corrected row that the file does not have. */
  canAdd(corrected: Buffer): boolean;
}

/** An input whose beginning was read. */
export interface Opened {
  layout: Layout;
  /** Bytes that were read after what is before the first record. */
  rest: Buffer;
  /**
   * Where the input can be divided, in order, and where it ends; undefined if that is known only when it has been read.
   */
  sections?: (() => readonly InputSection[]) | undefined;
}

/** A part of an input that is not divided further. */
export interface InputSection {
  readonly start: Position;
  /** Its size in the file. */
  readonly bytes: number;
}

/** A layout as plain data, which structured cloning copies. Its format knows the type of `value`. */
export interface LayoutData {
  readonly format: string;
  readonly value: unknown;
}

/** How the records of one input are read. All methods are functions of bytes, here and below. */
export interface RecordLayout {
  /** The columns, in order. */
  readonly names: readonly string[];
  /** Whether later records may have more columns than these. */
  readonly namesColumnsLater: boolean;
  /** Those of the columns that were known otherwise, and that none of the first records has. */
  readonly absent?: readonly string[] | undefined;
  /** The types of the columns that the input itself gives, as options and reports call them. */
  readonly types?: readonly (string | undefined)[] | undefined;
  /** By column, whether its numbers are in single precision, if the input says it: its texts are shorter decimals. */
  readonly singles?: readonly boolean[] | undefined;
  /** The number of rows, if the input says it. */
  readonly rows?: number | undefined;
  /** A hint for columns that are not what was expected, if the input looks as if it was read in the wrong way. */
  readonly columnsHint: string | undefined;
  /**
   * What to do if a line after the header has these columns, or any if there are none: the header is not where it
   * should be.
   */
  laterHeader(wanted: readonly string[]): string | undefined;
  /**
   * Refuses an input whose first record has units or the like in place of values.
   *
   * @param nulls texts that stand for missing values
   * @param file for the message
   * @throws RowcastError `bad_header`
   */
  refuseUnits?(nulls: readonly string[], file: PipedFile): void;
  /** All bytes before the first record, and where that begins. */
  readonly preamble: Buffer;
  readonly start: Position;
  /** The name of the format, such as `csv`. */
  readonly format: string;
  readonly readAs: ReadAs;
  /** What the format makes the same layout of in another thread; undefined if it cannot leave this one. */
  readonly data: LayoutData | undefined;
  /** A suspiciously long name of a column. */
  readonly longName: LongField | undefined;

  /** Cuts the input into batches. */
  records(options: BatchOptions): BatchReader;
  /**
   * Finds the fields of one batch after the other; those of a batch are overwritten by the next.
   *
   * @param memory that may be used for a batch
   */
  fieldReader(memory?: BatchMemory): (batch: Batch) => Fields;
  /**
   * Why most of the records are malformed.
   *
   * @param records some of them, in input order
   * @param file the input, for the command
   */
  whyMalformed(records: readonly MalformedRecord[], file: PipedFile): MalformedCause;
  /** The records `[from, to)` of a batch as a batch of their own. */
  slice(batch: Batch, from: number, to: number): Batch;
  /** Position of record `index` in the input; if `index` is the number of records, the end of the batch. */
  positionOf(batch: Batch, index: number): Position;
  /** The texts of the fields of whole records, however many each has. It is for a few records. */
  textsOf(records: Buffer): string[][];
  /** Offset at which the content of the record `bytes[start, end)` ends and its line ending, if any, begins. */
  contentEnd(bytes: Uint8Array, start: number, end: number): number;
  /** Number of lines that end in `bytes[start, end)`. */
  countLines(bytes: Uint8Array, start: number, end: number): number;
  /** Whether a record may end with this byte before the end of the input. */
  endsRecord(byte: number | undefined): boolean;
  /** A file of these records, which have no line endings. It is for a few records. */
  fileOf(records: readonly Buffer[]): Buffer;
}

/** How the records of one input are written, with what is appended to them. */
export interface OutputLayout {
  /** The rows that are written together, if the output has groups of rows. */
  readonly groups?: RowGroups | undefined;
  /** The names that the input's columns have in the output. */
  readonly ownNames: readonly string[];
  /** Those of them whose values must be numbers, because the file that is written has numbers there. */
  readonly numberNames: ReadonlySet<string>;
  /** What is appended to each record. @throws RowcastError `duplicate_columns`; `cannot_quote` */
  appended(options: AppendedOptions): Appended;
  /** The names of the appended columns in the output. */
  appendedNames(options: AppendedOptions): string[];
  outputPreamble(appended: Appended): Buffer;
  /** The texts of the values of merged records, those of what was appended last. It is for a few records. */
  mergedTexts(records: Buffer): string[][];
  /**
   * Merges one batch after the other.
   *
   * @param memory in which a kernel may do it
   */
  merger(appended: Appended, memory?: BatchMemory): MergeBatch;
  /** Whether leaving out a record may change the line ending before it, so that a run cannot resume there. */
  readonly mayJoinLines: boolean;
}

/** How one input is compared with what was made of it, and repaired. */
export interface ComparedLayout {
  /**
   * Compares this input with an output that was made of it, with the options that it was read with.
   *
   * @param file the name of this input, for messages
   */
  compareWith(output: Layout, file: string): Comparison;

  /**
   * This file as a rejects file; undefined if it is none.
   *
   * @param columns of the output
   * @param file the name of this file, for messages
   */
  asRejects(columns: RejectsOptions, file: string): RejectsFile | undefined;
  /** Reads the records of a rejects file of this input. */
  readonly rejectRecords: RejectRecords;
  /** Reads those of a rejects file of a file that is not text, which may have only some of its columns. */
  rejectRecordsOf(rejects: Pick<RecordLayout, 'names'>): RejectRecords;
  /** The preamble of a rejects file, and rejected records as text for it; see also `beginsLikeRejects`. */
  readonly rejectsPreamble: Buffer;
  rejectsText(rejects: readonly Reject[], isFirst: boolean): Buffer;
}

/** What can be done with one input. */
export interface Layout extends RecordLayout, OutputLayout, ComparedLayout {}

/** The columns of an output, of which some may not be in its rejects. */
export interface RejectsOptions extends ColumnOptions {
  /** The --prefix that the run had. */
  readonly prefix?: string | undefined;
}

/** A rejects file whose rows are to be put back into the output. */
export interface RejectsFile {
  /** The layout of the input, with the columns that the output has. */
  readonly input: Layout;
  /** The line ending of a row that is put back, if the output has none for it. */
  readonly ending: Buffer;
  hasColumnsOf(other: Layout): boolean;
  /** Reads the beginning of the scored corrections. */
  readCorrections(source: ByteSource, options: ReadOptions): Promise<Opened>;
  /**
   * Compares the scored corrections, as an output, with this file; or says why they do not have the columns of an
   * output after those of a rejects file.
   *
   * @param file the name of the output, for messages
   */
  compareCorrections(
    corrected: Layout,
    output: Layout,
    file: string,
  ): Comparison | { readonly wrong: string };
}

/** A batch with its predictions. */
export interface PredictedBatch {
  readonly batch: Batch;
  /** Index of a malformed record → its fault. */
  readonly faults: ReadonlyMap<number, Fault>;
  /** One after the other for each well-formed record. */
  readonly predictions: Predictions;
}

/**
 * @param from index of the first record
 * @param to index after the last one
 * @param lastByte of the output so far
 * @param into memory for the result, as much as the records and `maxBytes` of `Appended` for each; new memory if
 *   omitted
 */
export type MergeRecords = (from: number, to: number, lastByte: number | undefined, into?: Buffer) => Buffer;

/**
 * Prepares to merge the records of a batch, consecutive ones at a time.
 *
 * @param fields of the batch, if they were read in the memory of the kernel; it is in use then
 */
export type MergeBatch = (scored: PredictedBatch, fields?: Fields) => MergeRecords;
