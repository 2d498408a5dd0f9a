/** The predictions of a batch. */
export interface Predictions {
  /** Sorted by code point if they were taken from the response itself. */
  readonly classes: readonly string[];
  /** personas × classes, row after row; NaN for a persona that has an error. */
  readonly probabilities: Float64Array;
  /** Index of a persona that the service could not score → the service's error. */
  readonly errors: ReadonlyMap<number, { code: string; message: string }>;
}

/** How much the sum of a persona's probabilities may differ from 1, because services round them. */
export const tolerance = (classes: number): number => Math.max(0.01, classes * 0.005);

/** Rounding error when adding doubles: 0.13 + 0.88 is slightly more than 1.01. */
const ROUNDING_ERROR = 1e-9;

/** Whether this is a valid sum of probabilities for this number of classes. */
export const sumsToOne = (sum: number, classes: number): boolean =>
  Math.abs(sum - 1) <= tolerance(classes) + ROUNDING_ERROR;
