import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { Appended, AppendedOptions } from '../appended.ts';
import type { ColumnOptions } from '../column-options.ts';
import type { Comparison, RecordAt } from '../comparison.ts';
import { cellComparison, headerOf } from '../csv/cell-comparison.ts';
import { CsvLayout } from '../csv/csv-layout.ts';
import type { Layout, LayoutData, MergeBatch } from '../format.ts';
import { isNumberType } from '../number-types.ts';
import { outputColumns } from '../output-columns.ts';
import { batchOfOne } from '../records/batch.ts';
import { type CellLines, cellLines, FIELD_GROWTH } from './cell-lines.ts';
import { appendedTo, LineLayout } from './jsonl-layout.ts';
import { lineCells } from './line-cells.ts';
import type { LineShape } from './line-shape.ts';
import { lineColumns } from './output-members.ts';

/** What makes the same layout in another thread. */
export interface CsvAsLinesValue {
  readonly read: LayoutData;
  readonly options: Pick<ColumnOptions, 'keep' | 'rename' | 'types'>;
  readonly file: string;
}

/** A CSV of which JSON lines are made: each record is an object with a member for each column. */
export class CsvAsLines extends CsvLayout {
  readonly #value: CsvAsLinesValue;
  readonly #written: LineLayout;
  readonly #isNumber: readonly boolean[];

  /**
   * @param read the layout of the CSV
   * @param file the name of the CSV, for messages
   * @throws RowcastError `missing_columns`, `duplicate_columns`
   */
  constructor(read: CsvLayout, { keep, rename, types = {} }: ColumnOptions, file: string) {
    super(CsvLayout.headerOf(read));
    const { names } = read;
    const shape: LineShape = {
      bom: 0,
      names,
      members: names,
      values: names,
      absent: [],
      allowed: [],
      last: [],
    };
    this.#value = { read: super.data, options: { keep, rename, types }, file };
    this.#written = new LineLayout(shape, lineColumns(shape, { keep, rename }, file));
    checkDistinct(Array.isArray(keep) ? names.filter(name => keep.includes(name)) : names, file);
    this.#isNumber = names.map(name => isNumberType(types[name]));
  }

  /** Each line has a line feed of its own. */
  override get mayJoinLines(): boolean {
    return false;
  }

  override get data(): LayoutData {
    return { format: 'jsonl', value: this.#value };
  }

  override appended(options: AppendedOptions): Appended {
    const appended = this.#written.appended(options);
    return { ...appended, maxBytes: appended.maxBytes + this.#lines().maxBytes, growth: FIELD_GROWTH };
  }

  override get ownNames(): readonly string[] {
    return this.#written.ownNames;
  }

  override appendedNames(options: AppendedOptions): string[] {
    return this.#written.appendedNames(options);
  }

  override outputPreamble(): Buffer {
    return Buffer.alloc(0);
  }

  override merger(appended: Appended): MergeBatch {
    const merge = this.#written.merger(appended);
    const lines = this.#lines();
    return scored => merge({ ...scored, batch: lines.linesOf(scored.batch) });
  }

  override unscored(record: Buffer, isBlank: boolean, appended: Appended): Buffer {
    if (isBlank) return record.subarray(0, 0);
    const line = this.#lines().linesOf(batchOfOne(record)).bytes;
    return this.#written.unscored(line, false, appended);
  }

  /** Compares the cells that the lines of the output have with the fields of the records. */
  override compareWith(output: Layout, file: string): Comparison {
    const { ownNames: own } = this;
    const shape = LineLayout.shapeOf(output);
    const appended = appendedTo(own, output);
    const all = [...own, ...(appended === 0 ? [] : appended)];
    // A line with another member is malformed, and does not agree with any row.
    const cells = lineCells({ ...shape, names: all, allowed: all, closed: all }, all);
    const columns = outputColumns(this, this.#value.options, file);
    const compared = cellComparison(CsvLayout.headerOf(this), columns, headerOf(all), { file });
    const read = ({ bytes, start, contentEnd }: RecordAt): RecordAt => {
      const record = cells.recordsOf(batchOfOne(bytes.subarray(start, contentEnd))).bytes;
      return { bytes: record, start: 0, contentEnd: record.length };
    };
    return {
      ...compared,
      appended: appended === 0 ? 0 : compared.appended,
      endsAlike: true,
      appendedOf: (fields, line) => compared.appendedOf(fields, read(line)),
      afterOwn: line => compared.afterOwn(read(line)),
      hasOwn: (fields, line) => compared.hasOwn(fields, read(line)),
      changedColumn: (fields, line) => compared.changedColumn(fields, read(line)),
    };
  }

  #lines(): CellLines {
    return cellLines(this.names, CsvLayout.headerOf(this).dialect, this.#isNumber);
  }
}

/** @throws RowcastError `duplicate_columns` */
function checkDistinct(names: readonly string[], file: string): void {
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated === undefined) return;
  throw new RowcastError('duplicate_columns', `the input has two columns "${sanitize(repeated)}"`, {
    location: { file, line: 1 },
    hint: 'Rename one: an object has each member once.',
  });
}
