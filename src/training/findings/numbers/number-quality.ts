import type { NumbersProfile } from '../../../base/contract/profile.ts';
import type { NumberQuality } from '../../../base/contract/schemas.ts';
import { Z_95 } from '../../../base/wilson.ts';
import { quantile } from '../../learn/evaluation.ts';
import { errorsOf, meanOf, type NumberErrors } from '../../learn/numbers/errors.ts';
import { lowerBounds } from '../../rows/bin-labels.ts';
import { tenthsOf } from '../../rows/numbers/number-labels.ts';

/** The most points for a picture of predicted and actual numbers. */
const MAX_POINTS = 300;
const RESIDUAL_SHARES = [0.1, 0.25, 0.5, 0.75, 0.9];

/** More digits than any testing split can resolve. */
const short = (value: number): number => Number(value.toPrecision(7));

/**
 * The quality metrics of predicted numbers.
 *
 * @param predictions for each row
 * @param numbers the actual ones
 * @param learned the numbers of the rows that the model was trained on, whose median is the baseline
 */
export function numberQualityOf(
  predictions: Float64Array,
  numbers: readonly number[],
  learned: readonly number[],
): NumberQuality {
  const value = quantile(Float64Array.from(learned).sort(), 0.5);
  return {
    testing_rows: numbers.length,
    ...shortErrors(errorsOf(predictions, numbers)),
    baseline: { value, ...shortErrors(errorsOf(new Float64Array(numbers.length).fill(value), numbers)) },
    deciles: decilesOf(predictions, numbers),
    points: pointsOf(predictions, numbers),
  };
}

const shortErrors = ({ rmse, mae, median_error: median, r2 }: NumberErrors): NumberErrors => ({
  rmse: short(rmse),
  mae: short(mae),
  median_error: short(median),
  r2: r2 === null ? null : short(r2),
});

function decilesOf(predictions: Float64Array, numbers: readonly number[]): NumberQuality['deciles'] {
  const { indexes, count } = tenthsOf([...predictions]);
  const groups: number[][] = Array.from({ length: count }, () => []);
  indexes.forEach((tenth, row) => {
    groups[tenth]?.push(row);
  });
  return groups.map(rows => {
    const predicted = Float64Array.from(rows, row => predictions[row] ?? 0).sort();
    const actual = rows.map(row => numbers[row] ?? 0);
    const residuals = Float64Array.from(rows, row => (numbers[row] ?? 0) - (predictions[row] ?? 0)).sort();
    const mean = meanOf(actual);
    const variance = actual.reduce((sum, each) => sum + (each - mean) ** 2, 0) / Math.max(1, rows.length - 1);
    const half = Z_95 * Math.sqrt(variance / rows.length);
    return {
      rows: rows.length,
      from: predicted[0] ?? 0,
      to: predicted.at(-1) ?? 0,
      predicted: short(meanOf(predicted)),
      actual: short(mean),
      low: short(mean - half),
      high: short(mean + half),
      residuals: RESIDUAL_SHARES.map(share => short(quantile(residuals, share))),
    };
  });
}

function pointsOf(predictions: Float64Array, numbers: readonly number[]): NumberQuality['points'] {
  const count = Math.min(MAX_POINTS, numbers.length);
  return Array.from({ length: count }, (_, i) => {
    const row = Math.floor((i * numbers.length) / count);
    return [predictions[row] ?? 0, numbers[row] ?? 0];
  });
}

const MAX_RANGES = 20;

/** The distribution of predictions, for comparison with those of runs. */
export function numbersProfileOf(predictions: Float64Array): NumbersProfile {
  const edges = lowerBounds(
    Array.from(predictions, value => ({ value, count: 1 })),
    MAX_RANGES,
  );
  const rows = new Array<number>(edges.length + 1).fill(0);
  for (const value of predictions) {
    const at = edges.findIndex(edge => value < edge);
    const range = at === -1 ? edges.length : at;
    rows[range] = (rows[range] ?? 0) + 1;
  }
  return { mean: short(meanOf(predictions)), edges, rows };
}
