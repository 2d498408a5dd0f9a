import type { EvaluatedRows } from '../learn/evaluation.ts';

/** A class's probabilities, in its own rows and in all others. */
export interface ClassScores {
  ofClass: Float64Array;
  others: Float64Array;
}

export function classScores({ probabilities, labels, classes }: EvaluatedRows, index: number): ClassScores {
  const count = labels.reduce((sum, label) => sum + (label === index ? 1 : 0), 0);
  const ofClass = new Float64Array(count);
  const others = new Float64Array(labels.length - count);
  let [right, wrong] = [0, 0];
  labels.forEach((label, row) => {
    const probability = probabilities[row * classes + index] ?? 0;
    if (label === index) ofClass[right++] = probability;
    else others[wrong++] = probability;
  });
  return { ofClass, others };
}
