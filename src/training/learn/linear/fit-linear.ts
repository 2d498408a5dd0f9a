import type { LinearSpec } from '../../../models/model/predictor-spec.ts';
import { logistic, probabilitiesOf, scoresOf } from '../../../models/model/scores.ts';
import type { Binning, Feature } from '../features/bins.ts';
import type { Labelled } from '../features/design.ts';
import { priorScores } from '../loss.ts';
import { minimize } from './lbfgs.ts';
import { addGradient, addTerms, type Scale, scaleOf, termsOf } from './terms.ts';

const MAX_ITERATIONS = 100;
const TOLERANCE = 1e-5;

export interface LinearInput extends Labelled {
  features: readonly Feature[];
  binnings: readonly Binning[];
  /** The training rows. */
  rows: Int32Array;
  /** L2 penalty on each weight, in rows: the mean loss is penalized by this divided by the number of rows. */
  penalty: number;
}

/**
 * L2-regularized multinomial logistic regression on standardized numbers and one-hot levels, by L-BFGS. Two
 * classes have one score. Converges to the unique minimum, up to a gradient of 1e-5 or 100 iterations.
 */
export function fitLinear(input: LinearInput): LinearSpec {
  const { labels, classes, rows, penalty } = input;
  const stride = scoresOf(classes);
  const scales = input.features.map((feature, i) => scaleOf(feature, input.binnings[i], rows));
  const ownLabels = Uint8Array.from(rows, row => labels[row] as number);
  let offset = 0;
  const terms = input.features.map((feature, i) => {
    const made = termsOf(feature, scales[i] as Scale, rows, offset);
    offset += (scales[i] as Scale).terms;
    return made;
  });
  // The last weights are the intercepts, which are not penalized.
  const weights = new Float64Array((offset + 1) * stride);
  weights.set(priorScores(labels, rows, classes), offset * stride);
  const scores = new Float64Array(rows.length * stride);
  minimize(
    (point, gradient) => {
      for (let at = 0; at < scores.length; at += stride) scores.set(point.subarray(offset * stride), at);
      for (const own of terms) addTerms(own, point, scores, stride);
      const loss = stride === 1 ? logisticLoss(scores, ownLabels) : softmaxLoss(scores, ownLabels, classes);
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
  return specOf(scales, weights, stride);
}

/** The loss; the scores become its derivatives. */
function logisticLoss(scores: Float64Array, labels: Uint8Array): number {
  let loss = 0;
  for (let row = 0; row < labels.length; row++) {
    const score = scores[row] as number;
    const label = labels[row] as number;
    // ln(1 + e^score) without overflow.
    loss += Math.max(score, 0) + Math.log1p(Math.exp(-Math.abs(score))) - label * score;
    scores[row] = logistic(score) - label;
  }
  return loss;
}

/** The loss; the scores become its derivatives. */
function softmaxLoss(scores: Float64Array, labels: Uint8Array, classes: number): number {
  scores.set(probabilitiesOf(scores, classes));
  let loss = 0;
  for (let row = 0; row < labels.length; row++) {
    const at = row * classes + (labels[row] as number);
    loss -= Math.log(Math.max(Number.MIN_VALUE, scores[at] as number));
    scores[at] = (scores[at] as number) - 1;
  }
  return loss;
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
