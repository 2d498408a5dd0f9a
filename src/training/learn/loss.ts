import { logistic, softmaxAt } from '../../models/model/scores.ts';
import type { Derivatives } from './trees/grow-tree.ts';

/** The class shares as scores, with half a row added to each class so that none is zero. */
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

/** For two classes: the derivatives of the loss by the score of the second class. */
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

/** For more classes: the derivatives by the score of the class at `index`. */
export function classGradients(
  probabilities: Float64Array,
  labels: Uint8Array,
  rows: Int32Array,
  { stride, index }: { stride: number; index: number },
  { gradients, hessians }: Derivatives,
): void {
  for (const row of rows) {
    const p = probabilities[row * stride + index] as number;
    gradients[row] = p - (labels[row] === index ? 1 : 0);
    hessians[row] = p * (1 - p);
  }
}

/** Converts the scores of some rows, `classes` per row, to probabilities. */
export function softmax(
  scores: Float64Array,
  classes: number,
  rows: Int32Array,
  probabilities: Float64Array,
): void {
  for (const row of rows) softmaxAt(scores, row * classes, (row + 1) * classes, probabilities);
}
