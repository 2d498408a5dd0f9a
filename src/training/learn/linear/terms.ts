import type { Binning, Feature } from '../features/bins.ts';

/** A feature with more cuts than this is clipped to its outermost ones, so that one outlier does not set its scale. */
const CLIPPED_CUTS = 32;

/** A feature's terms: each row has one term with a factor. Term numbers are indexes of weights. */
export interface Terms {
  /** By training row. */
  terms: Int32Array;
  /** Factors; undefined if all are 1. */
  factors: Float64Array | undefined;
}

/** How a feature becomes terms. */
export type Scale =
  | { kind: 'number'; terms: 2; low: number; high: number; mean: number; scale: number }
  | { kind: 'levels'; terms: number };

export function scaleOf({ kind, values }: Feature, binning: Binning | undefined, rows: Int32Array): Scale {
  if (kind === 'levels') return { kind, terms: binning?.bins ?? 1 };
  const cuts = binning?.cuts ?? new Float64Array(0);
  const isClipped = cuts.length >= CLIPPED_CUTS;
  const [low, high] = isClipped ? [cuts[0] ?? 0, cuts.at(-1) ?? 0] : [-Number.MAX_VALUE, Number.MAX_VALUE];
  let [count, sum, squares] = [0, 0, 0];
  for (const row of rows) {
    const value = clip(values[row] as number, low, high);
    if (Number.isNaN(value)) continue;
    count++;
    const before = value - sum / Math.max(1, count - 1);
    sum += value;
    squares += before * (value - sum / count);
  }
  const mean = count === 0 ? 0 : sum / count;
  const deviation = Math.sqrt(squares / Math.max(1, count));
  return { kind: 'number', terms: 2, low, high, mean, scale: deviation > 0 ? deviation : 1 };
}

const clip = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

export function termsOf({ values }: Feature, scale: Scale, rows: Int32Array, offset: number): Terms {
  if (scale.kind === 'levels') {
    const level = (value: number) => (value >= 1 && value < scale.terms ? value : 0);
    return { terms: Int32Array.from(rows, row => offset + level(values[row] as number)), factors: undefined };
  }
  const { low, high, mean, scale: width } = scale;
  return {
    // A missing value has its own term, with factor 1.
    terms: Int32Array.from(rows, row => offset + (Number.isNaN(values[row]) ? 1 : 0)),
    factors: Float64Array.from(rows, row => {
      const value = values[row] as number;
      return Number.isNaN(value) ? 1 : (clip(value, low, high) - mean) / width;
    }),
  };
}

export function addTerms(
  { terms, factors }: Terms,
  weights: Float64Array,
  scores: Float64Array,
  stride: number,
): void {
  for (let row = 0; row < terms.length; row++) {
    const factor = factors === undefined ? 1 : (factors[row] as number);
    const from = (terms[row] as number) * stride;
    const to = row * stride;
    for (let i = 0; i < stride; i++)
      scores[to + i] = (scores[to + i] as number) + factor * (weights[from + i] as number);
  }
}

/** @param errors the derivative of the loss by each score */
export function addGradient(
  { terms, factors }: Terms,
  errors: Float64Array,
  gradient: Float64Array,
  stride: number,
): void {
  for (let row = 0; row < terms.length; row++) {
    const factor = factors === undefined ? 1 : (factors[row] as number);
    const to = (terms[row] as number) * stride;
    const from = row * stride;
    for (let i = 0; i < stride; i++)
      gradient[to + i] = (gradient[to + i] as number) + factor * (errors[from + i] as number);
  }
}
