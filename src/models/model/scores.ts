import { exactExp, fastExp } from './exponentials.ts';
import type { Link, OutputSpec } from './predictor-spec.ts';

/** The number of scores: one per class, but only one for two classes. */
export const scoreCount = (classes: number): number => (classes === 2 ? 1 : classes);

export const logistic = (score: number): number => 1 / (1 + Math.exp(-score));

/** What a model that is trained here makes of its scores. */
export const outputOfClasses = (classes: number): OutputSpec => ({
  link: classes === 2 ? { kind: 'sigmoid', factor: 1 } : { kind: 'softmax' },
  isRounded: true,
});

/** Converts scores to probabilities, `classes` per row. */
export const probabilitiesOf = (scores: Float64Array, classes: number): Float64Array =>
  predictionsOf(scores, outputOfClasses(classes), { stride: scoreCount(classes), width: classes });

interface Shape {
  /** Scores per row. */
  stride: number;
  /** Predicted numbers per row: as many as scores, or two probabilities of one score. */
  width: number;
  /** Whether everything is computed in single precision. */
  isSingle?: boolean;
}

/** Makes the scores of sums of leaves, in place. */
export function toScores(sums: Float64Array, { scale = 1, bias }: OutputSpec, stride: number): void {
  if (scale === 1 && bias === undefined) return;
  for (let at = 0; at < sums.length; at++)
    sums[at] = scale * (sums[at] as number) + (bias?.[at % stride] ?? 0);
}

/** Converts scores, which are changed, to predictions, `width` per row; not rounded. */
export function predictionsOf(
  scores: Float64Array,
  { divisor = 1, link }: OutputSpec,
  { stride, width, isSingle = false }: Shape,
): Float64Array {
  if (divisor !== 1) for (let at = 0; at < scores.length; at++) scores[at] = (scores[at] as number) / divisor;
  if (link.kind === 'softmax') {
    for (let at = 0; at < scores.length; at += stride)
      if (isSingle) singleSoftmaxAt(scores, at, at + stride);
      else softmaxAt(scores, at, at + stride, scores, link.exp === 'fast' ? fastExp : exactExp);
    return scores;
  }
  const of = isSingle ? singleLinkOf(link) : linkOf(link);
  if (width === stride) {
    for (let at = 0; at < scores.length; at++) scores[at] = of(scores[at] as number);
    return scores;
  }
  const probabilities = new Float64Array(2 * scores.length);
  for (let row = 0; row < scores.length; row++) {
    const second = of(scores[row] as number);
    const first = 1 - second;
    probabilities[2 * row] = isSingle ? Math.fround(first) : first;
    probabilities[2 * row + 1] = second;
  }
  return probabilities;
}

type Convert = (score: number) => number;

function linkOf(link: Exclude<Link, { kind: 'softmax' }>): Convert {
  switch (link.kind) {
    case 'identity':
      return score => score;
    case 'sigmoid': {
      const { factor } = link;
      return score => 1 / (1 + exactExp(-factor * score));
    }
    case 'exp':
      return link.exp === 'fast' ? fastExp : exactExp;
    case 'log1pexp':
      return score => Math.log1p(exactExp(score));
    case 'signedSquare':
      return score => Math.sign(score) * score * score;
    case 'step':
      return score => (score > 0 ? 1 : 0);
  }
}

/** Above it, the exponential of a single is near infinity: XGBoost's own limit. */
const MAX_EXPONENT = Math.fround(88.7);
const { fround } = Math;

/** As XGBoost computes: each step in single precision. */
function singleLinkOf(link: Exclude<Link, { kind: 'softmax' }>): Convert {
  if (link.kind !== 'sigmoid') {
    const of = linkOf(link);
    return score => fround(of(score));
  }
  return score => fround(1 / fround(fround(exactExp(Math.min(-score, MAX_EXPONENT))) + 1));
}

/** As XGBoost computes it, in place: exponentials and quotients in single precision, their sum in double. */
function singleSoftmaxAt(scores: Float64Array, from: number, to: number): void {
  let highest = -Infinity;
  for (let i = from; i < to; i++) highest = Math.max(highest, scores[i] as number);
  let sum = 0;
  for (let i = from; i < to; i++) {
    const power = fround(exactExp(fround((scores[i] as number) - highest)));
    scores[i] = power;
    sum += power;
  }
  const single = fround(sum);
  for (let i = from; i < to; i++) scores[i] = fround((scores[i] as number) / single);
}

/** Converts the scores `[from, to)` to probabilities that sum to 1, also in place. */
export function softmaxAt(
  scores: Float64Array,
  from: number,
  to: number,
  probabilities: Float64Array,
  exp: Convert = exactExp,
): void {
  let highest = -Infinity;
  for (let i = from; i < to; i++) highest = Math.max(highest, scores[i] as number);
  let sum = 0;
  for (let i = from; i < to; i++) {
    const power = exp((scores[i] as number) - highest);
    probabilities[i] = power;
    sum += power;
  }
  for (let i = from; i < to; i++) probabilities[i] = (probabilities[i] as number) / sum;
}
