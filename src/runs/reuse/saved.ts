import type { RowCounts } from '../../scoring/row-counts.ts';
import type { MakeMetric, RunMetric } from '../summary/run-metrics.ts';
import type { RunNames, Summary } from '../summary/summary.ts';

/** The option whose value is the price. */
const PRICE = 'price-per-1000';

/**
 * What the rows would have cost that were reused, or equal to others.
 *
 * @returns no member without a price, or if all rows are sent
 */
export function savedBy(
  { options }: Pick<RunNames, 'options'>,
  { reused, equal }: Pick<RowCounts, 'reused' | 'equal'>,
): { saved?: number } {
  const price = options[PRICE];
  if (typeof price !== 'number' || (reused ?? equal) === undefined) return {};
  return { saved: (((reused ?? 0) + (equal ?? 0)) / 1000) * price };
}

/** Rows that were not sent, and what that has saved. */
export function unsentMetrics(metric: MakeMetric, { rows, saved }: Summary): RunMetric[] {
  return [
    metric('rows_reused', '', 'Scored rows whose predictions were copied from an earlier output.', [
      [rows.reused ?? null],
    ]),
    metric('rows_equal', '', 'Scored rows with the prediction of an equal row, which was sent.', [
      [rows.equal ?? null],
    ]),
    metric('saved', '', 'What the reused and equal rows would have cost.', [[saved ?? null]]),
  ];
}
