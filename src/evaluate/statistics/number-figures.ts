import { Z_95 } from '../../base/wilson.ts';
import type { Evaluation, EvaluationFigures } from '../evaluation.ts';
import { totalOf } from './curve.ts';
import { decilesOf } from './deciles.ts';
import { type Estimate, estimate, rounded, undefinedFigure, withoutInterval } from './estimates.ts';
import { ABSOLUTE, ACTUAL, type NumberTally, PREDICTED, SQUARED, WITH } from './number-tally.ts';
import type { ScoreGroups } from './score-bins.ts';

export function numberFigures(tally: NumberTally): EvaluationFigures {
  const { predicted, actual, error, absolute, squared } = tally;
  const none = undefinedFigure('no row has a label');
  if (error.count === 0)
    return {
      rmse: none,
      mae: none,
      r2: none,
      bias: none,
      median_error: none,
      mean_actual: none,
      mean_prediction: none,
    };
  return {
    rmse: rootOf(estimate(squared.mean, squared.standardError, [0, Infinity])),
    mae: estimate(absolute.mean, absolute.standardError, [0, Infinity]),
    r2:
      actual.squares === 0
        ? undefinedFigure('the actual number is the same in all rows')
        : withoutInterval(1 - (squared.mean * squared.count) / actual.squares),
    bias: estimate(error.mean, error.standardError),
    median_error: medianOf(tally.errors()),
    mean_actual: estimate(actual.mean, actual.standardError),
    mean_prediction: withoutInterval(predicted.mean),
  };
}

const root = (value: number | null): number | null => value && rounded(Math.sqrt(value));

const rootOf = ({ value, low, high }: Estimate): Estimate => ({
  value: root(value),
  low: root(low),
  high: root(high),
});

/** The median, and the order statistics between which that of all such rows is in 95% of cases. */
function medianOf({ scores, sums }: ScoreGroups): Estimate {
  const rows = sums[0] as Float64Array;
  const all = totalOf(rows);
  /** @param rank from 1 */
  const atRank = (rank: number): number => {
    let below = 0;
    const index = rows.findIndex(count => {
      below += count;
      return below >= rank;
    });
    return scores[index] ?? 0;
  };
  const value = rounded((atRank(Math.floor((all + 1) / 2)) + atRank(Math.ceil((all + 1) / 2))) / 2);
  const half = (Z_95 * Math.sqrt(all)) / 2;
  const [lower, upper] = [Math.floor(all / 2 - half), Math.ceil(all / 2 + half) + 1];
  if (lower < 1 || upper > all) return withoutInterval(value);
  return { value, low: rounded(atRank(lower)), high: rounded(atRank(upper)) };
}

/** Errors by tenths of the predicted number. */
export function numberDeciles(tally: NumberTally): NonNullable<Evaluation['deciles']> {
  return decilesOf(tally.predictions(), [WITH]).map(({ from, to, sums }) => {
    const rows = sums[WITH] ?? 0;
    const mean = (column: number): number => (sums[column] ?? 0) / rows;
    const bias = mean(PREDICTED) - mean(ACTUAL);
    const variance = Math.max(0, mean(SQUARED) - bias ** 2);
    return {
      from: rounded(from),
      to: rounded(to),
      rows,
      predicted: rounded(mean(PREDICTED)),
      actual: rounded(mean(ACTUAL)),
      bias: estimate(bias, rows > 1 ? Math.sqrt(variance / (rows - 1)) : undefined),
      mae: rounded(mean(ABSOLUTE)),
      rmse: rounded(Math.sqrt(mean(SQUARED))),
    };
  });
}
