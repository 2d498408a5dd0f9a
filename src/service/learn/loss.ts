import type { Derivatives } from './grow.ts';

/** A score a class; two classes need only one. */
export const scoresOf = (classes: number): number => (classes === 2 ? 1 : classes);

/** Classes' shares of the rows as scores, with half a row added to each class, so that none is impossible. */
export function priorScores(labels: Uint8Array, rows: Int32Array, classes: number): Float64Array {
  const counts = new Float64Array(classes).fill(0.5);
  for (const row of rows) {
    const label = labels[row] as number;
    counts[label] = (counts[label] as number) + 1;
  }
  if (classes === 2) return Float64Array.of(Math.log((counts[1] as number) / (counts[0] as number)));
  const total = rows.length + classes / 2;
  return counts.map(count => Math.log(count / total));
}

/** Of two classes: the derivatives of the loss by the second class's score. */
export function logisticGradients(
  scores: Float64Array,
  labels: Uint8Array,
  rows: Int32Array,
  { gradients, hessians }: Derivatives,
): void {
  for (const row of rows) {
    const p = logistic(scores[row] as number);
    gradients[row] = p - (labels[row] as number);
    hessians[row] = p * (1 - p);
  }
}

/** Of more classes: the derivatives by the score of the class at `place`. */
export function classGradients(
  probabilities: Float64Array,
  labels: Uint8Array,
  rows: Int32Array,
  { stride, place }: { stride: number; place: number },
  { gradients, hessians }: Derivatives,
): void {
  for (const row of rows) {
    const p = probabilities[row * stride + place] as number;
    gradients[row] = p - (labels[row] === place ? 1 : 0);
    hessians[row] = p * (1 - p);
  }
}

export const logistic = (score: number): number => 1 / (1 + Math.exp(-score));

/** Some rows' scores, `classes` a row, as probabilities. */
export function softmax(
  scores: Float64Array,
  classes: number,
  rows: Int32Array,
  probabilities: Float64Array,
): void {
  for (const row of rows) softmaxAt(scores, row * classes, (row + 1) * classes, probabilities);
}

function softmaxAt(scores: Float64Array, from: number, to: number, probabilities: Float64Array): void {
  let highest = -Infinity;
  for (let i = from; i < to; i++) highest = Math.max(highest, scores[i] as number);
  let sum = 0;
  for (let i = from; i < to; i++) {
    const power = Math.exp((scores[i] as number) - highest);
    probabilities[i] = power;
    sum += power;
  }
  for (let i = from; i < to; i++) probabilities[i] = (probabilities[i] as number) / sum;
}

/** Scores as probabilities, `classes` a row, whether there is a score a class or one for two. */
export function probabilitiesOf(scores: Float64Array, classes: number): Float64Array {
  const stride = scoresOf(classes);
  const probabilities = new Float64Array((scores.length / stride) * classes);
  if (stride > 1) {
    for (let at = 0; at < scores.length; at += stride) softmaxAt(scores, at, at + stride, probabilities);
    return probabilities;
  }
  for (let row = 0; row < scores.length; row++) {
    const second = logistic(scores[row] as number);
    probabilities[2 * row] = 1 - second;
    probabilities[2 * row + 1] = second;
  }
  return probabilities;
}
