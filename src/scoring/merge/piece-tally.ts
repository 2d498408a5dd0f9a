import { unknownColumns } from '../../base/contract/predictions.ts';
import { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { BatchColumns, withoutNulls } from '../../formats/columns/batch-columns.ts';
import type { LearnedColumn } from '../../formats/columns/column-encoder.ts';
import type { ColumnReader } from '../../formats/columns/kernel-column.ts';
import { readerOf } from '../../formats/columns/reader-of.ts';
import type { Layout } from '../../formats/format.ts';
import type { Counting } from '../counting/counted-column.ts';
import { addPredictions, type Tally, TallyLayout } from '../counting/tally.ts';
import type { ScoredBatch } from '../scorer.ts';

export interface PieceTallyOptions {
  layout: Layout;
  /** Values treated as missing, in addition to the empty one. */
  nulls?: readonly string[];
  /** What is counted; by default nothing. */
  counting?: Counting | undefined;
}

/**
 * Counts the values and predictions of a batch's records `[from, to)`; each batch from its first record to its last.
 */
export type PieceTally = (scored: ScoredBatch, from: number, to: number) => Tally;

/**
 * For batches whose scorer has not counted. The fields are found again, because their service has read them elsewhere.
 */
export function pieceTally({ layout, nulls = [], counting }: PieceTallyOptions): PieceTally | undefined {
  // Without anything to count, the fields need not be found.
  if (counting === undefined || (counting.columns.length === 0 && !counting.isDetailed)) return undefined;
  const counted = new TallyLayout(counting);
  const readNulls = withoutNulls(nulls);
  // Created when they are first used: a local scorer counts by itself.
  let fieldsOf: BatchColumns | undefined;
  let readers: readonly ColumnReader[] = [];
  let row = 0;
  return ({ batch, predictions }, from, to) => {
    if (from === 0) row = 0;
    if (fieldsOf === undefined) {
      const memory = BatchMemory.create();
      fieldsOf = new BatchColumns(layout, memory);
      readers = counted.columns.map(({ name, learned, type }) =>
        readerOf(learned ?? asNumbers(name), type, memory),
      );
    }
    const isWhole = from === 0 && to === batch.ends.length;
    const { fields, values } = fieldsOf.place(isWhole ? batch : layout.slice(batch, from, to), 1);
    const { rows } = fields;
    const tally = counted.newTally();
    for (const [i, { index }] of counted.columns.entries()) {
      const reader = readers[i] as ColumnReader;
      readNulls(fields, index);
      reader.read(fields, index, values, 0, 1, 0, rows);
      counted.addUnrecognized(tally, i, reader.unrecognized);
      if (counting.isDetailed) counted.addValues(tally, i, values, { at: 0, step: 1, from: 0, to: rows });
    }
    if (counting.isDetailed) addPredictions(tally, predictions, row, row + rows);
    for (const [index, { code }] of predictions.errors)
      if (code === unknownColumns.code && index >= row && index < row + rows) counted.leaveOut(tally, 1);
    row += rows;
    return tally;
  };
}

/** A column of which the report says nothing may hold numbers. */
const asNumbers = (name: string): LearnedColumn => ({ name, type: 'numerical', notation: 'point' });
