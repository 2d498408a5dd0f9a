import { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { BatchColumns } from '../../formats/columns/batch-columns.ts';
import type { LearnedColumn } from '../../formats/columns/column-encoder.ts';
import type { ColumnReader } from '../../formats/columns/kernel-column.ts';
import { readerOf } from '../../formats/columns/reader-of.ts';
import { withoutNulls } from '../../formats/columns/without-nulls.ts';
import type { Layout } from '../../formats/format.ts';
import type { Batch } from '../../formats/records/batch.ts';
import type { Tally, TallyLayout } from './tally.ts';

/** Counts the values of fields that go to a service, which reads them elsewhere. */
export class FieldTally {
  readonly #layout: TallyLayout;
  readonly #readers: readonly ColumnReader[];
  readonly #withoutNulls: ReturnType<typeof withoutNulls>;
  readonly #batches: BatchColumns;

  constructor(
    layout: TallyLayout,
    nulls: readonly string[],
    records: Pick<Layout, 'names' | 'namesColumnsLater' | 'fieldReader'>,
  ) {
    this.#layout = layout;
    const memory = BatchMemory.create();
    this.#batches = new BatchColumns(records, memory);
    this.#readers = layout.columns.map(({ name, learned, type }) =>
      readerOf(learned ?? asNumbers(name), type, memory),
    );
    this.#withoutNulls = withoutNulls(nulls);
  }

  count(batch: Batch): { tally: Tally; rows: number } {
    const layout = this.#layout;
    const { fields, values } = this.#batches.place(batch, 1);
    const { rows } = fields;
    const tally = layout.newTally();
    for (const [i, { index }] of layout.columns.entries()) {
      const reader = this.#readers[i] as ColumnReader;
      this.#withoutNulls(fields, index);
      reader.read(fields, index, values, 0, 1, 0, rows);
      layout.addUnrecognized(tally, i, reader.unrecognized);
      if (layout.isDetailed) layout.addValues(tally, i, values, { at: 0, step: 1, from: 0, to: rows });
    }
    return { tally, rows };
  }
}

/** A column of which the report says nothing may hold numbers. */
const asNumbers = (name: string): LearnedColumn => ({ name, type: 'numerical', notation: 'point' });
