/** The number of scores: one per class, but only one for two classes. */
export const scoreCount = (classes: number): number => (classes === 2 ? 1 : classes);

export const logistic = (score: number): number => 1 / (1 + Math.exp(-score));

/** Converts scores to probabilities, `classes` per row. */
export function probabilitiesOf(scores: Float64Array, classes: number): Float64Array {
  const stride = scoreCount(classes);
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

/** Converts the scores `[from, to)` to probabilities that sum to 1. */
export function softmaxAt(scores: Float64Array, from: number, to: number, probabilities: Float64Array): void {
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
