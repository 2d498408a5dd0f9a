import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import type { Dialect } from '../../base/parse-records.ts';
import type { Appended, AppendedOptions } from '../appended.ts';
import type {
  BatchOptions,
  Format,
  Layout,
  LayoutData,
  MergeRecords,
  PlacedMerger,
  PredictedBatch,
} from '../format.ts';
import { type Batch, sliceBatch } from '../records/batch.ts';
import type { Fields } from '../records/fields.ts';
import { CR, contentEnd, countLines, LF } from '../records/line-endings.ts';
import type { LongField } from '../records/long-field.ts';
import type { Position } from '../records/position.ts';
import type { Reject } from '../records/reject.ts';
import { appendedColumns, appendedNames } from './appended-columns.ts';
import { FieldReader } from './fields/field-reader.ts';
import { longFieldOfHeader } from './find-long-field.ts';
import { afterHeader, delimiterHint, type Header, readBytes } from './header.ts';
import { keptRecordMerger } from './kept-records.ts';
import { mergeHeader, recordMerger, unscoredRecord } from './merge-records.ts';
import { type OutputColumns, outputColumns, ownNames } from './output-columns.ts';
import { placedMerger } from './placed-merger.ts';
import { readHead } from './read-head.ts';
import { RecordReader } from './records/record-reader.ts';
import { rejectsHeaderText, rejectsText } from './reject-records.ts';

/** CSV and TSV, by the rules of docs/design.md. */
export const csv: Format = {
  async readLayout(source, options) {
    const { header, rest } = await readHead(source, options);
    return { layout: new CsvLayout(header, outputColumns(header, options, source.name)), rest };
  },
};

/** A CSV, as its header and options describe it. */
export class CsvLayout implements Layout {
  readonly names: readonly string[];
  readonly preamble: Buffer;
  readonly start: Position;
  readonly format = 'csv';
  readonly dialect: Dialect;
  readonly #header: Header;
  readonly #columns: OutputColumns | undefined;

  /** @param columns of the output, if they are not those of the input */
  constructor(header: Header, columns?: OutputColumns) {
    this.#header = header;
    this.#columns = columns;
    this.names = header.names;
    this.preamble = readBytes(header);
    this.start = afterHeader(header);
    this.dialect = header.dialect;
  }

  get data(): LayoutData {
    return { format: this.format, header: this.#header, columns: this.#columns };
  }

  get columnsHint(): string | undefined {
    return delimiterHint(this.#header);
  }

  get longName(): LongField | undefined {
    return longFieldOfHeader(this.#header);
  }

  records(options: BatchOptions): RecordReader {
    return new RecordReader({ ...options, dialect: this.dialect, width: this.names.length });
  }

  fieldReader(memory?: BatchMemory): (batch: Batch) => Fields {
    const reader = new FieldReader(this.names.length, this.dialect, memory);
    return batch => reader.read(batch);
  }

  slice(batch: Batch, from: number, to: number): Batch {
    return sliceBatch(batch, from, to, this.dialect);
  }

  contentEnd(bytes: Uint8Array, start: number, end: number): number {
    return contentEnd(bytes, start, end, this.dialect);
  }

  countLines(bytes: Uint8Array, start: number, end: number): number {
    return countLines(bytes, start, end, this.dialect);
  }

  endsRecord(byte: number | undefined): boolean {
    return byte === LF || (this.dialect.loneCr && byte === CR);
  }

  appended(options: AppendedOptions): Appended {
    return appendedColumns(this.#header, options, this.#columns);
  }

  get ownNames(): readonly string[] {
    return ownNames(this.#header, this.#columns);
  }

  appendedNames(options: AppendedOptions): string[] {
    return appendedNames(options, this.#columns);
  }

  outputPreamble(appended: Appended): Buffer {
    return mergeHeader(this.#header, appended, this.#columns);
  }

  merger(scored: PredictedBatch, appended: Appended): MergeRecords {
    const kept = this.#columns?.kept;
    return kept === undefined
      ? recordMerger(scored, appended, this.dialect)
      : keptRecordMerger(scored, appended, this.dialect, kept);
  }

  placedMerger(appended: Appended, memory: BatchMemory): PlacedMerger | undefined {
    return this.#columns?.kept === undefined ? placedMerger(memory, appended, this.dialect) : undefined;
  }

  unscored(record: Buffer, isBlank: boolean, appended: Appended, lastByte: number | undefined): Buffer {
    return unscoredRecord(record, { isBlank, lastByte }, appended, this.dialect, this.#columns);
  }

  get mayJoinLines(): boolean {
    return this.dialect.loneCr;
  }

  get rejectsPreamble(): Buffer {
    return rejectsHeaderText(this.#header);
  }

  rejectsText(rejects: readonly Reject[], isFirst: boolean): Buffer {
    return rejectsText(rejects, this.#header, isFirst);
  }
}
