import { unknownColumns } from '../../base/contract/predictions.ts';
import type { Layout } from '../../formats/format.ts';
import type { Counting } from '../counting/counted-column.ts';
import { FieldTally } from '../counting/field-tally.ts';
import { addScores, type Tally, TallyLayout } from '../counting/tally.ts';
import type { ScoredBatch } from '../scorer.ts';

export interface PartTallyOptions {
  layout: Layout;
  /** Values treated as missing, in addition to the empty one. */
  nulls?: readonly string[];
  /** What is counted; by default nothing. */
  counting?: Counting | undefined;
}

/** Counts the values and probabilities of a batch's records `[from, to)`; each batch from its first record to its last. */
export type PartTally = (scored: ScoredBatch, from: number, to: number) => Tally;

/** For batches whose scorer has not counted. The fields are found again, because their service has read them elsewhere. */
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
    if (counting.isDetailed && predictions.kind === 'distribution') {
      const { probabilities, classes, errors } = predictions;
      addScores(tally, { probabilities, classes: classes.length, errors }, row, row + rows);
    }
    for (const [index, { code }] of predictions.errors)
      if (code === unknownColumns.code && index >= row && index < row + rows) counted.leaveOut(tally, 1);
    row += rows;
    return tally;
  };
}
