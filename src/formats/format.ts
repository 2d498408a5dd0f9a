import type { Distributions, Predictions } from '../base/contract/predictions.ts';
import type { BatchMemory } from '../base/kernel/batch-memory.ts';
import type { Dialect } from '../base/parse-records.ts';
import type { Appended, AppendedOptions } from './appended.ts';
import type { Header } from './csv/header.ts';
import type { ColumnOptions, OutputColumns } from './csv/output-columns.ts';
import type { RecordOptions } from './csv/records/record-options.ts';
import type { ReadOptions } from './read-options.ts';
import type { Batch } from './records/batch.ts';
import type { BatchReader } from './records/batch-reader.ts';
import type { ByteSource } from './records/byte-source.ts';
import type { Fault } from './records/faults.ts';
import type { Fields } from './records/fields.ts';
import type { LongField } from './records/long-field.ts';
import type { InputRange, Position } from './records/position.ts';
import type { Reject } from './records/reject.ts';

/** How records are written as bytes. A row keeps its own bytes from the input to the output. */
export interface Format {
  /** Reads what is before the first record, and as much more as it needs to name the columns. */
  readLayout(source: ByteSource, options: ReadOptions & ColumnOptions): Promise<Opened>;
}

/** An input whose beginning was read. */
export interface Opened {
  layout: Layout;
  /** Bytes that were read after what is before the first record. */
  rest: Buffer;
}

/** A layout as plain data, which structured cloning copies. */
export type LayoutData = { format: 'csv'; header: Header; columns: OutputColumns | undefined };

/** How the records of one input are laid out. All methods are functions of bytes. */
export interface Layout {
  /** The columns, in order. */
  readonly names: readonly string[];
  /** A hint for columns that are not what was expected, if the input looks as if it was read in the wrong way. */
  readonly columnsHint: string | undefined;
  /** All bytes before the first record, and where that begins. */
  readonly preamble: Buffer;
  readonly start: Position;
  /** The name of the format; part of what identifies a run, like the dialect. */
  readonly format: string;
  /** What `layoutFrom` makes the same layout of in another thread; undefined if it cannot leave this one. */
  readonly data: LayoutData | undefined;
  readonly dialect: Dialect;
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
  /** The records `[from, to)` of a batch as a batch of their own. */
  slice(batch: Batch, from: number, to: number): Batch;
  /** Offset at which the content of the record `bytes[start, end)` ends and its line ending, if any, begins. */
  contentEnd(bytes: Uint8Array, start: number, end: number): number;
  /** Number of lines that end in `bytes[start, end)`. */
  countLines(bytes: Uint8Array, start: number, end: number): number;
  /** Whether a record may end with this byte before the end of the input. */
  endsRecord(byte: number | undefined): boolean;

  /** What is appended to each record. @throws RowcastError `duplicate_columns`; `cannot_quote` */
  appended(options: AppendedOptions): Appended;
  /** The names that the input's columns have in the output. */
  readonly ownNames: readonly string[];
  /** The names of the appended columns in the output. */
  appendedNames(options: AppendedOptions): string[];
  /** The preamble of the output. */
  outputPreamble(appended: Appended): Buffer;
  /** Merges the records of a batch, consecutive ones at a time. */
  merger(scored: PredictedBatch, appended: Appended): MergeRecords;
  /** Merges in the memory of a kernel; undefined if that cannot write such an output. */
  placedMerger?(appended: Appended, memory: BatchMemory): PlacedMerger | undefined;
  /** A record or blank line that was not scored, as output after `lastByte`. */
  unscored(record: Buffer, isBlank: boolean, appended: Appended, lastByte: number | undefined): Buffer;
  /** Whether leaving out a record may change the line ending before it, so that a run cannot resume there. */
  readonly mayJoinLines: boolean;

  /** The preamble of a rejects file, and rejected records as text for it. */
  readonly rejectsPreamble: Buffer;
  rejectsText(rejects: readonly Reject[], isFirst: boolean): Buffer;
}

export type BatchOptions = InputRange &
  Pick<
    RecordOptions,
    | 'file'
    | 'batchRows'
    | 'batchBytes'
    | 'rowOverhead'
    | 'maxRecordBytes'
    | 'limit'
    | 'onLongField'
    | 'isShared'
  >;

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
 * @param into memory for the result, with room for the records and `maxBytes` of `Appended` for each; new memory if omitted
 */
export type MergeRecords = (from: number, to: number, lastByte: number | undefined, into?: Buffer) => Buffer;

/** Merges the records of a batch whose fields are in the memory of a kernel, and of which none is malformed. */
export type PlacedMerger = (batch: Batch, fields: Fields, predictions: Distributions) => MergeRecords;
