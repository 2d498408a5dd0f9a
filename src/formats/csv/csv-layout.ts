import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { type Dialect, parseRecords } from '../../base/parse-records.ts';
import type { PipedFile } from '../../base/shell-pipe.ts';
import type { Appended, AppendedOptions } from '../appended.ts';
import { appendedNames } from '../appended-names.ts';
import type { Comparison, RejectRecords } from '../comparison.ts';
import type { Layout, LayoutData, MergeBatch, RejectsFile } from '../format.ts';
import { type ColumnOptions, type OutputColumns, ownNames, renamed } from '../output-columns.ts';
import type { ReadAs } from '../read-options.ts';
import { type Batch, positionOf, sliceBatch } from '../records/batch.ts';
import type { BatchOptions, LongField } from '../records/batch-reader.ts';
import type { Fault } from '../records/faults.ts';
import type { Fields } from '../records/fields.ts';
import { CR, contentEnd, countLines, LF } from '../records/line-endings.ts';
import type { Position } from '../records/position.ts';
import { type MalformedCause, type MalformedRecord, type Reject, rejectColumns } from '../records/reject.ts';
import type { RowGroups } from '../records/row-groups.ts';
import { typedFieldReader } from '../records/typed-fields.ts';
import { appendedColumns } from './appended-columns.ts';
import { csvComparison } from './csv-comparison.ts';
import {
  csvRejectRecords,
  csvRejectsFile,
  rejectEnding,
  rejectsHeaderText,
  rejectsText,
} from './csv-rejects.ts';
import { FieldReader } from './fields/field-reader.ts';
import { malformedFinder } from './fields/malformed.ts';
import { NumberFinder } from './fields/number-finder.ts';
import { longFieldOfHeader } from './find-long-field.ts';
import { laterHeaderHint, refuseUnits } from './first-lines.ts';
import { afterHeader, delimiterHint, type Header, readBytes } from './header.ts';
import { keptRecordMerger } from './kept-records.ts';
import { kernelMerger } from './kernel-merger.ts';
import { mergeHeader, recordMerger, unscoredRecord } from './merge-records.ts';
import { EmptyRecord, RepeatedHeader } from './records/no-rows.ts';
import { RecordReader } from './records/record-reader.ts';
import { whyMalformed } from './why-malformed.ts';

/** What makes the same layout in another thread. */
export interface CsvLayoutValue {
  readonly header: Header;
  readonly columns: OutputColumns | undefined;
  readonly groups: RowGroups | undefined;
  readonly types: Layout['types'];
  readonly hasOthers: boolean;
}

/** A CSV, as its header and options describe it. */
export class CsvLayout implements Layout {
  readonly names: readonly string[];
  readonly preamble: Buffer;
  readonly start: Position;
  readonly format: string = 'csv';
  readonly namesColumnsLater = false;
  readonly readAs: ReadAs;
  readonly groups: RowGroups | undefined;
  readonly types: Layout['types'];
  readonly #dialect: Dialect;
  readonly #header: Header;
  readonly #first: Buffer | undefined;
  readonly #hasOthers: boolean;
  readonly #columns: OutputColumns | undefined;

  /**
   * @param columns of the output, if they are not those of the input
   * @param groups of the output's rows; none if the output is text
   * @param types of the columns, if the file that this is the text of says them
   * @param first bytes after the header
   * @param hasOthers whether each row of that file has a value, perhaps in a column that is not in the text
   */
  constructor(
    header: Header,
    columns?: OutputColumns,
    groups?: RowGroups,
    types?: Layout['types'],
    first?: Buffer,
    hasOthers = false,
  ) {
    this.#hasOthers = hasOthers;
    this.#first = first;
    this.groups = groups;
    this.types = types;
    this.#header = header;
    this.#columns = columns;
    this.#dialect = header.dialect;
    this.names = header.names;
    this.preamble = readBytes(header);
    this.start = afterHeader(header);
    const { quote = 'none', ...others } = header.dialect;
    this.readAs = { ...others, quote };
  }

  /** The header of another CSV. */
  static headerOf(layout: Layout): Header {
    if (layout instanceof CsvLayout) return layout.#header;
    throw new Error('the files have different formats');
  }

  get data(): LayoutData {
    const { groups, types } = this;
    const [header, columns, hasOthers] = [this.#header, this.#columns, this.#hasOthers];
    const value: CsvLayoutValue = { header, columns, groups, types, hasOthers };
    return { format: this.format, value };
  }

  get columnsHint(): string | undefined {
    return this.format === 'csv' ? delimiterHint(this.#header) : undefined;
  }

  laterHeader(wanted: readonly string[]): string | undefined {
    return this.#first && laterHeaderHint(this.#header, this.#first, wanted);
  }

  refuseUnits(nulls: readonly string[], file: PipedFile): void {
    if (this.#first !== undefined) refuseUnits(this.#header, this.#first, nulls, file);
  }

  get longName(): LongField | undefined {
    return longFieldOfHeader(this.#header);
  }

  records(options: BatchOptions): RecordReader {
    // A row of a file that is not text has a value of each column, whatever it is; so has one of a text that was made of rows.
    const isText = this.format === 'csv' && options.areRows !== true;
    return new RecordReader({
      ...options,
      dialect: this.#dialect,
      width: this.names.length,
      header: isText ? RepeatedHeader.of(this.#header) : undefined,
      empty: isText ? EmptyRecord.of(this.#header) : undefined,
      numbers: NumberFinder.of(this.#header),
    });
  }

  fieldReader(memory?: BatchMemory): (batch: Batch) => Fields {
    const reader = new FieldReader(this.names.length, this.#dialect, memory, NumberFinder.of(this.#header));
    return typedFieldReader(batch => reader.read(batch), this.types, this.#hasOthers);
  }

  slice(batch: Batch, from: number, to: number): Batch {
    return sliceBatch(batch, from, to, this.#dialect);
  }

  positionOf(batch: Batch, index: number): Position {
    return positionOf(batch, index, this.#dialect);
  }

  textsOf(records: Buffer): string[][] {
    return parseRecords(records.toString(), this.#dialect);
  }

  contentEnd(bytes: Uint8Array, start: number, end: number): number {
    return contentEnd(bytes, start, end, this.#dialect);
  }

  countLines(bytes: Uint8Array, start: number, end: number): number {
    return countLines(bytes, start, end, this.#dialect);
  }

  endsRecord(byte: number | undefined): boolean {
    return byte === LF || (this.#dialect.loneCr && byte === CR);
  }

  appended(options: AppendedOptions): Appended {
    return appendedColumns(this.#header, options, this.#columns);
  }

  get ownNames(): readonly string[] {
    return ownNames(this.#header, this.#columns);
  }

  get numberNames(): ReadonlySet<string> {
    const { names, numbers } = this.#header;
    return new Set(numbers?.columns.map(column => renamed(names[column] ?? '', this.#columns)));
  }

  appendedNames(options: AppendedOptions): string[] {
    return appendedNames(options, this.#columns);
  }

  outputPreamble(appended: Appended): Buffer {
    return mergeHeader(this.#header, appended, this.#columns);
  }

  merger(appended: Appended, memory?: BatchMemory): MergeBatch {
    const kept = this.#columns?.kept;
    if (kept !== undefined) return scored => keptRecordMerger(scored, appended, this.#dialect, kept);
    const inKernel = memory && kernelMerger(memory, appended, this.#dialect);
    return (scored, fields) => inKernel?.(scored, fields) ?? recordMerger(scored, appended, this.#dialect);
  }

  unscored(record: Buffer, isBlank: boolean, appended: Appended, lastByte: number | undefined): Buffer {
    return unscoredRecord(record, { isBlank, lastByte }, appended, this.#dialect, this.#columns);
  }

  get mayJoinLines(): boolean {
    return this.#dialect.loneCr;
  }

  faultFinder(): (batch: Batch) => ReadonlyMap<number, Fault> {
    return malformedFinder(this.names.length, this.#dialect, NumberFinder.of(this.#header));
  }

  whyMalformed(records: readonly MalformedRecord[], file: PipedFile): MalformedCause {
    return whyMalformed(this.#header, records, file);
  }

  fileOf(records: readonly Buffer[]): Buffer {
    const { bytes, contentStart, contentEnd } = this.#header;
    const ending = rejectEnding(this.#header);
    return Buffer.concat(
      [bytes.subarray(contentStart, contentEnd), ...records].flatMap(part => [part, ending]),
    );
  }

  compareWith(output: Layout, file: string): Comparison {
    const [header, columns] = [this.#header, this.#columns];
    const isOther = output instanceof CsvLayout && output.format !== this.format;
    const byValues = isOther ? output.compareValues(header, columns, file) : undefined;
    return byValues ?? csvComparison(header, columns, CsvLayout.headerOf(output), file);
  }

  /** Compares a CSV of which this was made, if it does not have its bytes. */
  protected compareValues(_: Header, __: OutputColumns | undefined, ___: string): Comparison | undefined {
    return undefined;
  }

  asRejects(columns: ColumnOptions, file: string): RejectsFile | undefined {
    return csvRejectsFile(this.#header, columns, file, {
      layoutOf: (header, output) => new CsvLayout(header, output),
      headerOf: CsvLayout.headerOf,
    });
  }

  get rejectRecords(): RejectRecords {
    return csvRejectRecords(this.#header);
  }

  rejectRecordsOf(rejects: Layout): RejectRecords {
    const named = new Set(rejects.names.slice(rejectColumns.length));
    const kept = this.names.flatMap((name, index) => (named.has(name) ? [index] : []));
    return csvRejectRecords(this.#header, kept);
  }

  get rejectsPreamble(): Buffer {
    return rejectsHeaderText(this.#header);
  }

  rejectsText(rejects: readonly Reject[], isFirst: boolean): Buffer {
    return rejectsText(rejects, this.#header, isFirst);
  }
}
