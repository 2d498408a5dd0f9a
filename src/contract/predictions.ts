/** A batch's predictions. */
export interface Predictions {
  /** Sorted by code point where the answer itself had to tell them. */
  readonly classes: readonly string[];
  /** personas × classes, row after row; NaN for a persona that has an error. */
  readonly probabilities: Float64Array;
  /** Index of a persona that the service could not score → why, in its words. */
  readonly errors: ReadonlyMap<number, { code: string; message: string }>;
}

/** How far from 1 a persona's probabilities may sum: services round them. */
export const tolerance = (classes: number): number => Math.max(0.01, classes * 0.005);

/** What adding up doubles may be off by: 0.13 + 0.88 is a little over 1.01. */
const ROUNDING_ERROR = 1e-9;

/** Whether so many probabilities with this sum are one persona's. */
export const sumsToOne = (sum: number, classes: number): boolean =>
  Math.abs(sum - 1) <= tolerance(classes) + ROUNDING_ERROR;
