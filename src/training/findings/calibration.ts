import type { CalibrationBin, Quality } from '../../base/contract/schemas.ts';
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
    return [{ from, to, rows, predicted: sum / rows, actual, low, high }];
  });
}

/** The 97.5% quantile of the normal distribution: 95% lie within this many standard deviations of the mean. */
const Z = 1.959964;

/**
 * The 95% score interval of a share (Wilson, Probable inference, the law of succession, and statistical inference,
 * JASA 22, 1927), which Brown, Cai and DasGupta recommend for small samples (Interval estimation for a binomial
 * proportion, Statistical Science 16, 2001).
 */
export function wilson(share: number, rows: number): Quality['accuracy_interval'] {
  const spread = Z ** 2 / rows;
  const center = (share + spread / 2) / (1 + spread);
  const half = (Z / (1 + spread)) * Math.sqrt((share * (1 - share)) / rows + spread / (4 * rows));
  return {
    confidence: 0.95,
    low: toSixDecimals(Math.max(0, center - half)),
    high: toSixDecimals(Math.min(1, center + half)),
  };
}
