import type { NumberQuality } from '../../../base/contract/schemas.ts';
import { quantile } from '../evaluation.ts';

/** How far predictions are from the actual numbers. */
export type NumberErrors = Pick<NumberQuality, 'rmse' | 'mae' | 'median_error' | 'r2'>;

/** The errors of predictions; `r2` is null if all numbers are the same. */
export function errorsOf(predictions: ArrayLike<number>, numbers: readonly number[]): NumberErrors {
  const rows = numbers.length;
  const mean = meanOf(numbers);
  let [squares, deviations] = [0, 0];
  const absolute = new Float64Array(rows);
  numbers.forEach((number, row) => {
    const error = number - (predictions[row] ?? 0);
    absolute[row] = Math.abs(error);
    squares += error * error;
    deviations += (number - mean) * (number - mean);
  });
  const mae = meanOf(absolute);
  return {
    rmse: Math.sqrt(squares / rows),
    mae,
    median_error: quantile(absolute.sort(), 0.5),
    r2: deviations > 0 ? 1 - squares / deviations : null,
  };
}

export function meanOf(numbers: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < numbers.length; i++) sum += numbers[i] as number;
  return sum / numbers.length;
}
