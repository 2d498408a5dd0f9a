import { quantile } from '../evaluation.ts';

/** How numbers to predict are distributed. */
export interface Distribution {
  mean: number;
  /** The standard deviation; 1 if all numbers are the same. */
  deviation: number;
  median: number;
  negatives: number;
  zeros: number;
  /** Whether no number is negative, and many are zero or a few are much larger than the others. */
  isSkewed: boolean;
  /** The numbers that are far from all others, and the limits that they are beyond. */
  outliers: { rows: number; low: number; high: number };
}

const MANY_ZEROS = 0.05;
/** A mean that is larger than the median by this factor is that of a long tail. */
const LONG_TAIL = 1.25;
/**
 * A number is far from all others if its distance from the median is this many times that of all but one in 200. Amounts
 * seldom are: of a log-normal distribution whose logarithm has a deviation of 2, two in 100,000.
 */
const FAR = 20;
const NEAR_SHARE = 0.995;
/** More numbers are far, such as a code for missing values, if nothing lies in between. */
const BEFORE_GAP = 0.98;

/** @param numbers at least two */
export function distributionOf(numbers: Float64Array): Distribution {
  const { length } = numbers;
  const mean = numbers.reduce((sum, number) => sum + number / length, 0);
  const variance = numbers.reduce((sum, number) => sum + (number - mean) ** 2 / length, 0);
  const sorted = numbers.toSorted();
  const median = quantile(sorted, 0.5);
  const distances = numbers.map(number => Math.abs(number - median)).sort();
  const far = FAR * nearOf(distances);
  const count = (is: (number: number) => boolean) =>
    numbers.reduce((sum, each) => sum + (is(each) ? 1 : 0), 0);
  const [negatives, zeros] = [count(number => number < 0), count(number => number === 0)];
  return {
    mean,
    deviation: variance > 0 ? Math.sqrt(variance) : 1,
    median,
    negatives,
    zeros,
    isSkewed: negatives === 0 && (zeros >= MANY_ZEROS * length || mean > LONG_TAIL * median),
    outliers: {
      rows: count(number => Math.abs(number - median) > far),
      low: median - far,
      high: median + far,
    },
  };
}

/**
 * The largest distance from the median that is near, infinite if none is far. Of numbers most of which are equal, any
 * other ones may follow a gap.
 *
 * @param distances in ascending order
 */
function nearOf(distances: Float64Array): number {
  const { length } = distances;
  const at = (index: number) => distances[Math.min(length - 2, Math.floor(index))] ?? 0;
  const near = at(NEAR_SHARE * length) || Number.POSITIVE_INFINITY;
  const others = distances.subarray(at(length / 2) > 0 ? Math.floor(BEFORE_GAP * length) : length);
  const gap = others.findIndex((distance, i) => (others[i + 1] ?? 0) > FAR * distance);
  return Math.min(near, others[gap] ?? near);
}
