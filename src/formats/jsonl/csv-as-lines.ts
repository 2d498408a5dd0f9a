import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { PipedFile } from '../../base/shell-pipe.ts';
import type { Appended, AppendedOptions } from '../appended.ts';
import type { ColumnOptions } from '../column-options.ts';
import type { Comparison, RecordAt } from '../comparison.ts';
import { CsvLayout } from '../csv/csv-layout.ts';
import type { Layout, LayoutData, MergeBatch } from '../format.ts';
import { isNumberType } from '../number-types.ts';
import { renamed } from '../output-columns.ts';
import { batchOfOne } from '../records/batch.ts';
import { type CellLines, cellLines, FIELD_GROWTH } from './cell-lines.ts';
import { ComparedLines } from './compared-lines.ts';
import { appendedTo, LineLayout } from './jsonl-layout.ts';
import { lineComparison } from './line-comparison.ts';
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
  readonly #read: CsvLayout;

  /**
   * @param read the layout of the CSV
   * @param file the name of the CSV, for messages
   * @throws RowcastError `missing_columns`, `duplicate_columns`
   */
  constructor(read: CsvLayout, { keep, rename, types = {} }: ColumnOptions, file: string) {
    super(CsvLayout.headerOf(read));
    this.#read = read;
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

  override laterHeader(wanted: readonly string[]): string | undefined {
    return this.#read.laterHeader(wanted);
  }

  override refuseUnits(nulls: readonly string[], file: PipedFile): void {
    this.#read.refuseUnits(nulls, file);
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

  /** Compares the lines that a run makes of the records with those of the output, which tell the columns of numbers. */
  override compareWith(output: Layout): Comparison {
    const { ownNames } = this;
    const { keep, rename } = this.#value.options;
    const columns = lineColumns({ members: this.names }, { keep, rename }, this.#value.file);
    const compared = lineComparison({
      names: this.names,
      ownNames,
      columns,
      appended: appendedTo(ownNames, output),
    });
    const header = CsvLayout.headerOf(this);
    const lines = new ComparedLines(this.names, header.dialect, name => renamed(name, columns));
    const ownOf = (record: RecordAt, line: RecordAt): RecordAt => compared.own(lines.of(record, line));
    return {
      ...compared,
      preserves: 'values',
      lineEnds: 'line feed',
      own: record => record,
      appendedOf: (record, line) => compared.appendedOf(ownOf(record, line), line),
      hasOwn: (record, line) => compared.hasOwn(ownOf(record, line), line),
      changedColumn: (record, line) => compared.changedColumn(ownOf(record, line), line),
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
