/** Probabilities row by row, `classes` a row, and the classes that are true of them. */
export interface EvaluatedRows {
  probabilities: Float64Array;
  labels: readonly number[];
  classes: number;
}

/** The share of rows whose likeliest class is the true one. */
export function accuracy({ probabilities, labels, classes }: EvaluatedRows): number {
  let right = 0;
  labels.forEach((label, row) => {
    if (likeliest(probabilities, row, classes) === label) right++;
  });
  return right / labels.length;
}

/** The mean of the rows' losses. */
export function logLoss(scored: EvaluatedRows): number {
  return mean(rowLosses(scored));
}

/**
 * Each row's −ln p(true class). Probabilities are kept off zero by 1e-7, float32's precision, or one sure mistake of
 * a forest would outweigh all other rows.
 */
export function rowLosses({ probabilities, labels, classes }: EvaluatedRows): Float64Array {
  return Float64Array.from(
    labels,
    (label, row) => -Math.log(Math.max(1e-7, probabilities[row * classes + label] ?? 0)),
  );
}

function mean(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The index of a row's likeliest class, the first of equals. */
export function likeliest(probabilities: Float64Array, row: number, classes: number): number {
  let best = 0;
  for (let i = 1; i < classes; i++) {
    if ((probabilities[row * classes + i] ?? 0) > (probabilities[row * classes + best] ?? 0)) best = i;
  }
  return best;
}

/** A share as tech specs write it: "81.2%". */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}
