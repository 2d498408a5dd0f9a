import type { CalibrationBin } from '../../base/contract/schemas.ts';
import { wilson } from '../../base/wilson.ts';
import { toSixDecimals } from '../learn/evaluation.ts';

const CALIBRATION_BINS = 10;

/**
 * How often rows have a class, by the probability that was predicted for it, in ranges of equal width. Ranges without
 * rows are left out.
 */
export function calibrationOf(ofClass: Float64Array, others: Float64Array): CalibrationBin[] {
  const bins = Array.from({ length: CALIBRATION_BINS }, () => ({ sum: 0, rows: 0, positives: 0 }));
  const add = (probability: number, positives: number) => {
    const bin = bins[Math.min(CALIBRATION_BINS - 1, Math.floor(probability * CALIBRATION_BINS))];
    if (bin === undefined) return; // not a probability
    bin.sum += probability;
    bin.rows++;
    bin.positives += positives;
  };
  for (const probability of ofClass) add(probability, 1);
  for (const probability of others) add(probability, 0);
  return bins.flatMap(({ sum, rows, positives }, i) => {
    if (rows === 0) return [];
    const actual = positives / rows;
    const { low, high } = wilson(actual, rows);
    const [from, to] = [i / CALIBRATION_BINS, (i + 1) / CALIBRATION_BINS];
    return [
      { from, to, rows, predicted: sum / rows, actual, low: toSixDecimals(low), high: toSixDecimals(high) },
    ];
  });
}
