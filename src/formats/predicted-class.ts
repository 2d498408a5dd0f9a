/**
 * The index of the predicted class: the most likely of those that reach their threshold, else the most likely of those
 * without one, else the most likely; the first one if tied.
 *
 * @param thresholds one per class, NaN for those without
 */
export function predictedClass(probabilities: Float64Array, at: number, thresholds: Float64Array): number {
  let [best, rank, most] = [0, -1, Number.NEGATIVE_INFINITY];
  for (let index = 0; index < thresholds.length; index++) {
    const probability = probabilities[at + index] ?? Number.NaN;
    const threshold = thresholds[index] ?? Number.NaN;
    const own = probability >= threshold ? 2 : Number.isNaN(threshold) ? 1 : 0;
    if (own < rank || (own === rank && probability <= most)) continue;
    [best, rank, most] = [index, own, probability];
  }
  return best;
}

/** The threshold of each class, NaN for those without. */
export const thresholdsOf = (
  classes: readonly string[],
  threshold: Readonly<Record<string, number>> = {},
): Float64Array =>
  Float64Array.from(classes, name =>
    Object.hasOwn(threshold, name) ? (threshold[name] ?? Number.NaN) : Number.NaN,
  );
