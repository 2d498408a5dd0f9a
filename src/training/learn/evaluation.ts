/** Predicted probabilities, `classes` per row, and the actual class of each row. */
export interface EvaluatedRows {
  probabilities: Float64Array;
  labels: readonly number[];
  classes: number;
}

/** The share of rows whose most likely class is the actual one. */
export function accuracy({ probabilities, labels, classes }: EvaluatedRows): number {
  let right = 0;
  labels.forEach((label, row) => {
    if (mostLikely(probabilities, row, classes) === label) right++;
  });
  return right / labels.length;
}

/** The mean of the rows' losses. */
export function logLoss(scored: EvaluatedRows): number {
  return mean(rowLosses(scored));
}

/**
 * Each row's −ln p(actual class). Probabilities are clipped at 1e-7, the precision of float32: otherwise one confident
 * mistake would outweigh all other rows.
 */
function rowLosses({ probabilities, labels, classes }: EvaluatedRows): Float64Array {
  return Float64Array.from(
    labels,
    (label, row) => -Math.log(Math.max(1e-7, probabilities[row * classes + label] ?? 0)),
  );
}

function mean(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The index of a row's most likely class; of equals, the first. */
export function mostLikely(probabilities: Float64Array, row: number, classes: number): number {
  let best = 0;
  for (let i = 1; i < classes; i++) {
    if ((probabilities[row * classes + i] ?? 0) > (probabilities[row * classes + best] ?? 0)) best = i;
  }
  return best;
}

/** Formats a share as in the tech specs: "81.2%". */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}

/** Six digits are more than any testing split can resolve. */
export const toSixDecimals = (value: number): number => Math.round(value * 1e6) / 1e6;

/** Rows by actual and predicted class: `counts[actual][predicted]`. */
type Confusion = number[][];

export function confusionOf({ probabilities, labels, classes }: EvaluatedRows): Confusion {
  const counts = Array.from({ length: classes }, () => new Array<number>(classes).fill(0));
  labels.forEach((label, row) => {
    const own = counts[label];
    const predicted = mostLikely(probabilities, row, classes);
    if (own !== undefined) own[predicted] = (own[predicted] ?? 0) + 1;
  });
  return counts;
}

/** The rows of each class. */
export const classRows = (confusion: Confusion): number[] =>
  confusion.map(own => own.reduce((sum, rows) => sum + rows, 0));

/** The rows whose most likely class is the actual one. */
export const correctRows = (confusion: Confusion): number =>
  confusion.reduce((sum, own, index) => sum + (own[index] ?? 0), 0);

/** A quantile of sorted numbers, of which there is at least one: linear interpolation, as in R's type 7 and NumPy. */
export function quantile(sorted: Float64Array, share: number): number {
  const at = share * (sorted.length - 1);
  const low = sorted[Math.floor(at)] ?? 0;
  const high = sorted[Math.ceil(at)] ?? low;
  return low + (high - low) * (at - Math.floor(at));
}
