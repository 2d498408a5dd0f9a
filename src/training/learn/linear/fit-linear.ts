import type { LinearSpec } from '../../../models/model/predictor-spec.ts';
import type { Binning, Feature } from '../features/bins.ts';
import type { Loss, RowLabels } from '../loss.ts';
import { minimize } from './lbfgs.ts';

const MAX_ITERATIONS = 100;
const TOLERANCE = 1e-5;

interface LinearInput {
  labels: RowLabels;
  loss: Loss;
  features: readonly Feature[];
  binnings: readonly Binning[];
  /** The training rows. */
  rows: Int32Array;
  /** L2 penalty on each weight, in rows: the mean loss is penalized by this divided by the number of rows. */
  penalty: number;
}

/**
 * L2-regularized multinomial logistic regression, or ridge regression, on standardized numbers and one-hot levels, by
 * L-BFGS. Two classes have one score. Converges to the unique minimum, up to a gradient of 1e-5 or 100 iterations.
 */
export function fitLinear(input: LinearInput): LinearSpec {
  const { labels, loss, rows, penalty } = input;
  const { stride, linear } = loss;
  if (linear === undefined) throw new Error('no linear model minimizes this loss');
  const { center, scale: unit, total } = linear;
  const scales = input.features.map((feature, i) => scaleOf(feature, input.binnings[i], rows));
  const ownLabels = Float64Array.from(rows, row => ((labels[row] as number) - center) / unit);
  const all = rows.map((_, row) => row);
  let offset = 0;
  const terms = input.features.map((feature, i) => {
    const made = termsOf(feature, scales[i] as Scale, rows, offset);
    offset += (scales[i] as Scale).terms;
    return made;
  });
  // The last weights are the intercepts, which are not penalized.
  const weights = new Float64Array((offset + 1) * stride);
  weights.set(loss.prior(ownLabels, all), offset * stride);
  const scores = new Float64Array(rows.length * stride);
  minimize(
    (point, gradient) => {
      for (let at = 0; at < scores.length; at += stride) scores.set(point.subarray(offset * stride), at);
      for (const own of terms) addTerms(own, point, scores, stride);
      const loss = total(scores, ownLabels);
      gradient.fill(0);
      for (const own of terms) addGradient(own, scores, gradient, stride);
      for (let at = 0; at < scores.length; at++) {
        const index = offset * stride + (at % stride);
        gradient[index] = (gradient[index] as number) + (scores[at] as number);
      }
      let squares = 0;
      for (let i = 0; i < offset * stride; i++) {
        const weight = point[i] as number;
        squares += weight * weight;
        gradient[i] = (gradient[i] as number) + penalty * weight;
      }
      for (let i = 0; i < gradient.length; i++) gradient[i] = (gradient[i] as number) / rows.length;
      return (loss + (penalty / 2) * squares) / rows.length;
    },
    weights,
    { maxIterations: MAX_ITERATIONS, tolerance: TOLERANCE },
  );
  if (unit !== 1) for (let i = 0; i < weights.length; i++) weights[i] = unit * (weights[i] as number);
  if (center !== 0)
    for (let i = offset * stride; i < weights.length; i++) weights[i] = center + (weights[i] as number);
  return specOf(scales, weights, stride);
}

function specOf(scales: readonly Scale[], weights: Float64Array, stride: number): LinearSpec {
  let term = 0;
  const next = () => {
    const own = [...weights.subarray(term * stride, (term + 1) * stride)];
    term++;
    return own;
  };
  const features = scales.map(scale => {
    if (scale.kind === 'levels')
      return { kind: scale.kind, levels: Array.from({ length: scale.terms }, next) };
    const { kind, low, high, mean, scale: width } = scale;
    return { kind, low, high, mean, scale: width, weights: next(), missing: next() };
  });
  return { kind: 'linear', base: next(), features };
}

/** A feature with more cuts than this is clipped to its outermost ones, so that one outlier does not set its scale. */
const CLIPPED_CUTS = 32;

/** A feature's terms: each row has one term with a factor. Term numbers are indexes of weights. */
interface Terms {
  /** By training row. */
  terms: Int32Array;
  /** Factors; undefined if all are 1. */
  factors: Float64Array | undefined;
}

/** How a feature becomes terms. */
type Scale =
  | { kind: 'number'; terms: 2; low: number; high: number; mean: number; scale: number }
  | { kind: 'levels'; terms: number };

function scaleOf({ kind, values }: Feature, binning: Binning | undefined, rows: Int32Array): Scale {
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

function termsOf({ values }: Feature, scale: Scale, rows: Int32Array, offset: number): Terms {
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

function addTerms(
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
function addGradient(
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
