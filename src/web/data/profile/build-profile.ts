import { RowcastError } from '../../../base/errors.ts';
import { ValueTable } from '../../../formats/bytes/value-table.ts';
import type { Layout } from '../../../formats/format.ts';
import { type Batch, kindOf, RecordKind, startOf } from '../../../formats/records/batch.ts';
import { isNoRow } from '../../../formats/records/faults.ts';
import { type Fields, textOf } from '../../../formats/records/fields.ts';
import { isBlank } from '../../../formats/values/coerce.ts';
import { nameProblem } from '../../../training/rows/learn-columns.ts';
import { cut, profileColumn, type SampledColumn } from './profile-column.ts';
import type { Profile, ProfiledColumn } from './profile-shape.ts';
import { RecordSample, sampledValues } from './record-sample.ts';

const FIRST_ROWS = 20;
/** The values of a column that can be predicted are all listed; wide files have shorter lists. */
const TOP = 100;
const TOP_OF_MANY = 10;
const MANY_COLUMNS = 200;
/** Different values that are counted of each column, and of all columns together. */
const MAX_DISTINCT = 1_000;
const MAX_DISTINCT_IN_ALL = 200_000;

/**
 * Makes a profile in one pass over the records. Memory depends on the number of columns, not on that of rows: rows,
 * missing and different values are counted in all records, the rest is found out from a sample.
 */
export class ProfileBuilder {
  readonly #layout: Layout;
  readonly #file: string;
  readonly #maxRecordBytes: number;
  readonly #fieldsOf: (batch: Batch) => Fields;
  readonly #sample = new RecordSample();
  readonly #missing: number[];
  readonly #distinct: DistinctValues[];
  readonly #firstRows: string[][] = [];
  readonly notes: string[] = [];
  #rows = 0;

  /** @param file for messages */
  constructor(layout: Layout, { file, maxRecordBytes }: { file: string; maxRecordBytes: number }) {
    this.#layout = layout;
    this.#file = file;
    this.#maxRecordBytes = maxRecordBytes;
    const { length } = layout.names;
    const most = Math.max(TOP, Math.min(MAX_DISTINCT, Math.floor(MAX_DISTINCT_IN_ALL / length)));
    this.#fieldsOf = layout.fieldReader();
    this.#missing = new Array<number>(length).fill(0);
    this.#distinct = layout.names.map(() => new DistinctValues(most));
  }

  get rows(): number {
    return this.#rows;
  }

  /** @throws RowcastError for the first malformed record: training refuses the file */
  add(batch: Batch): void {
    const fields = this.#fieldsOf(batch);
    for (const [index, fault] of fields.faults) {
      // Training leaves it out.
      if (isNoRow(fault.code)) continue;
      const { line, row } = this.#layout.positionOf(batch, index);
      throw new RowcastError(fault.code, fault.reason, { location: { file: this.#file, line, row } });
    }
    for (let row = 0; row < fields.rows; row++) this.#count(fields, row);
    for (const [index, end] of batch.ends.entries()) {
      if (kindOf(batch, index) === RecordKind.blank || fields.faults.has(index)) continue;
      const start = startOf(batch, index);
      // A string of its own: a slice would keep the whole batch in memory.
      this.#sample.add(end - start, () => batch.bytes.toString('latin1', start, end));
    }
    this.#rows += fields.rows;
  }

  build(contentBytes: number): Profile {
    const sample = this.#sample.records();
    const { names } = this.#layout;
    const columns: ProfiledColumn[] = [];
    for (const { column, values } of sampledValues(sample, this.#layout, this.#maxRecordBytes)) {
      const name = names[column] ?? '';
      const sampled = profileColumn(name, values, nameProblem(names, name)?.leftOut);
      columns.push(this.#column(column, sampled, sample.length < this.#rows));
    }
    return {
      rows: this.#rows,
      sampled: sample.length,
      contentBytes,
      columns,
      firstRows: this.#firstRows,
      notes: this.notes,
    };
  }

  #column(index: number, { different, ...sampled }: SampledColumn, isSampled: boolean): ProfiledColumn {
    const distinct = this.#distinct[index];
    const isOver = distinct === undefined || distinct.isOver;
    const most = this.#distinct.length > MANY_COLUMNS ? TOP_OF_MANY : TOP;
    const top = isOver ? sampled.top : distinct.ranked(distinct.size > most ? TOP_OF_MANY : most);
    return {
      ...sampled,
      name: this.#layout.names[index] ?? '',
      missing: this.#missing[index] ?? 0,
      distinct:
        isOver && !isSampled
          ? { count: different, isMore: false }
          : { count: distinct?.size ?? 0, isMore: isOver },
      top: top.map(({ text, count }) => ({ text: cut(text), count })),
      topOf: isOver && isSampled ? 'sample' : 'all',
    };
  }

  #count(fields: Fields, row: number): void {
    const { bytes, starts, ends, width } = fields;
    for (let column = 0; column < width; column++) {
      const start = starts[row * width + column] ?? 0;
      const end = ends[row * width + column] ?? 0;
      const first = bytes[start] ?? 0;
      // Beyond ASCII there are more kinds of spaces.
      const isPlain = end > start && first > 0x20 && first < 0x80;
      if (isPlain || !isBlank(textOf(fields, row, column))) this.#distinct[column]?.add(bytes, start, end);
      else this.#missing[column] = (this.#missing[column] ?? 0) + 1;
    }
    if (this.#firstRows.length < FIRST_ROWS)
      this.#firstRows.push(Array.from({ length: width }, (_, column) => cut(textOf(fields, row, column))));
  }
}

const MAX_VALUE_BYTES = 256;

/**
 * Counts the different values of a column, up to a limit: columns with more of them are amounts, names or texts. Values
 * are compared as bytes, because most fields need no text of their own.
 */
export class DistinctValues {
  readonly #most: number;
  /** Undefined if there are more values than the limit, or one of them is long: nothing is counted any more. */
  #table: ValueTable | undefined;
  /** By the index of the value in the table. */
  readonly #counts: number[] = [];

  constructor(most: number) {
    this.#most = most;
    this.#table = new ValueTable((most + 1) * MAX_VALUE_BYTES + 1);
  }

  /** Whether nothing is counted any more. */
  get isOver(): boolean {
    return this.#table === undefined;
  }

  get size(): number {
    return this.#counts.length;
  }

  add(bytes: Uint8Array, start: number, end: number): void {
    const index = end - start > MAX_VALUE_BYTES ? undefined : this.#table?.indexOf(bytes, start, end);
    if (index === undefined || index === this.#most) this.#table = undefined;
    else this.#counts[index] = (this.#counts[index] ?? 0) + 1;
  }

  /** The values and how often each occurs, the most frequent first; none if nothing is counted any more. */
  ranked(most: number): { text: string; count: number }[] {
    const order = this.#counts.map((_, index) => index);
    order.sort((a, b) => (this.#counts[b] ?? 0) - (this.#counts[a] ?? 0) || a - b);
    return order.slice(0, most).flatMap(index => {
      const text = this.#table?.at(index).toString();
      return text === undefined ? [] : [{ text, count: this.#counts[index] ?? 0 }];
    });
  }
}
