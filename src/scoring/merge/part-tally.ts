import { unknownColumns } from '../../base/contract/predictions.ts';
import { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { BatchColumns, withoutNulls } from '../../formats/columns/batch-columns.ts';
import type { LearnedColumn } from '../../formats/columns/column-encoder.ts';
import type { ColumnReader } from '../../formats/columns/kernel-column.ts';
import { readerOf } from '../../formats/columns/reader-of.ts';
import type { Layout } from '../../formats/format.ts';
import type { Batch } from '../../formats/records/batch.ts';
import type { Counting } from '../counting/counted-column.ts';
import { addPredictions, type Tally, TallyLayout } from '../counting/tally.ts';
import type { ScoredBatch } from '../scorer.ts';

export interface PartTallyOptions {
  layout: Layout;
  /** Values treated as missing, in addition to the empty one. */
  nulls?: readonly string[];
  /** What is counted; by default nothing. */
  counting?: Counting | undefined;
}

/**
 * Counts the values and predictions of a batch's records `[from, to)`; each batch from its first record to its last.
 */
export type PartTally = (scored: ScoredBatch, from: number, to: number) => Tally;

/**
 * For batches whose scorer has not counted. The fields are found again, because their service has read them elsewhere.
 */
export function partTally({ layout, nulls = [], counting }: PartTallyOptions): PartTally | undefined {
  // Without anything to count, the fields need not be found.
  if (counting === undefined || (counting.columns.length === 0 && !counting.isDetailed)) return undefined;
  // Created when it is first used: a local scorer counts by itself.
  const counted = new TallyLayout(counting);
  let fields: FieldTally | undefined;
  let row = 0;
  return ({ batch, predictions }, from, to) => {
    if (from === 0) row = 0;
    fields ??= new FieldTally(counted, nulls, layout);
    const isWhole = from === 0 && to === batch.ends.length;
    const { tally, rows } = fields.count(isWhole ? batch : layout.slice(batch, from, to));
    if (counting.isDetailed) addPredictions(tally, predictions, row, row + rows);
    for (const [index, { code }] of predictions.errors)
      if (code === unknownColumns.code && index >= row && index < row + rows) counted.leaveOut(tally, 1);
    row += rows;
    return tally;
  };
}

/** Counts the values of fields that go to a service, which reads them elsewhere. */
class FieldTally {
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
