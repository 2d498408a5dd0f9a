import type { ColumnReader } from '../columns/column-reader.ts';
import { readerOf } from '../columns/reader-of.ts';
import { withoutNulls } from '../columns/without-nulls.ts';
import type { Fields } from '../formats/csv/fields/fields.ts';
import type { LearnedColumn } from '../reports/model/column-encoder.ts';
import type { Tally, TallyLayout } from './tally.ts';

/** Counts the values of fields that go to a service, which reads them elsewhere. */
export class FieldTally {
  readonly #layout: TallyLayout;
  readonly #readers: readonly ColumnReader[];
  readonly #withoutNulls: ReturnType<typeof withoutNulls>;
  #values = new Float64Array();

  constructor(layout: TallyLayout, nulls: readonly string[]) {
    this.#layout = layout;
    this.#readers = layout.columns.map(({ name, learned, type }) =>
      readerOf(learned ?? asNumbers(name), type),
    );
    this.#withoutNulls = withoutNulls(nulls);
  }

  /** @param fields are changed: those that stand for missing values become empty */
  count(fields: Fields): Tally {
    const layout = this.#layout;
    const { rows } = fields;
    const tally = layout.newTally();
    if (this.#values.length < rows) this.#values = new Float64Array(rows);
    for (const [i, { index }] of layout.columns.entries()) {
      const reader = this.#readers[i] as ColumnReader;
      this.#withoutNulls(fields, index);
      reader.read(fields, index, this.#values, 0, 1, 0, rows);
      layout.addMisfits(tally, i, reader.misfits);
      if (layout.isDetailed) layout.addValues(tally, i, this.#values, { at: 0, step: 1, from: 0, to: rows });
    }
    return tally;
  }
}

/** A column of which the report says nothing may hold numbers. */
const asNumbers = (name: string): LearnedColumn => ({ name, type: 'numerical', notation: 'point' });
