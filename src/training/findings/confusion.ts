import { type EvaluatedRows, mostLikely } from '../learn/evaluation.ts';

/** Rows by actual and predicted class: `counts[actual][predicted]`. */
export type Confusion = number[][];

export function confusionOf({ probabilities, labels, classes }: EvaluatedRows): Confusion {
  const counts = Array.from({ length: classes }, () => new Array<number>(classes).fill(0));
  labels.forEach((label, row) => {
    const own = counts[label];
    const predicted = mostLikely(probabilities, row, classes);
    if (own !== undefined) own[predicted] = (own[predicted] ?? 0) + 1;
  });
  return counts;
}

/** The rows whose most likely class is the actual one. */
export const correctRows = (confusion: Confusion): number =>
  confusion.reduce((sum, own, index) => sum + (own[index] ?? 0), 0);
