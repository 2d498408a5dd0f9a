/**
 * A histogram of probabilities in bins of fixed limits, as in HdrHistogram (https://hdrhistogram.org): 32 bins of equal
 * width between two powers of two, from 2^-16 to 1/2, and the same mirrored from 1/2 to 1. A bin is at most 1/32 as wide
 * as its distance from 0 or from 1, whichever is nearer, or 2^-16 at the ends. Neither the order of rows nor how they are
 * divided into batches matters, which is not so for sketches that merge bins as they go.
 */
const SUB_BITS = 5;
const SUB_BINS = 1 << SUB_BITS;
const SHIFT = 23 - SUB_BITS;
/** The exponents of 2^-16 and of 1/2 as a float32 has them. */
const [LEAST, MOST] = [127 - 16, 127 - 1];
const FIRST = LEAST << SUB_BITS;
/** One below 2^-16, those between, and one for 1/2 itself. */
const HALF = (MOST - LEAST) * SUB_BINS + 2;

export const SCORE_BINS = 2 * HALF;
/** Stands for a row without a probability. */
export const NO_SCORE = 0xffff;

const float = new Float32Array(1);
const bits = new Int32Array(float.buffer);

/** The bin of a probability. */
export function scoreBin(probability: number): number {
  const isHigh = probability > 0.5;
  float[0] = isHigh ? 1 - probability : probability;
  const bin = Math.max(0, ((bits[0] as number) >> SHIFT) - FIRST + 1);
  return isHigh ? SCORE_BINS - 1 - bin : bin;
}

/** The lower limit of a bin; that of the bin after the last one is 1. */
export function lowerLimit(bin: number): number {
  if (bin === 0) return 0;
  if (bin >= SCORE_BINS) return 1;
  if (bin < HALF) return lowLimit(bin);
  return 1 - lowLimit(SCORE_BINS - bin);
}

function lowLimit(bin: number): number {
  const place = bin - 1;
  // Both bins next to 1/2 end there.
  return Math.min(0.5, 2 ** ((place >> SUB_BITS) - 16) * (1 + (place % SUB_BINS) / SUB_BINS));
}

/**
 * A quantile of counted probabilities, as if they were spread evenly over their bins.
 *
 * @param counts of the bins, with at least one row
 */
export function binQuantile(counts: Float64Array, share: number): number {
  const total = counts.reduce((sum, rows) => sum + rows, 0);
  const wanted = share * total;
  let below = 0;
  for (const [bin, rows] of counts.entries()) {
    if (rows > 0 && below + rows >= wanted) {
      const [low, high] = [lowerLimit(bin), lowerLimit(bin + 1)];
      return low + ((high - low) * Math.max(0, wanted - below)) / rows;
    }
    below += rows;
  }
  return 1;
}
