/** What each prediction of a model consists of. */
export type PredictionType =
  | { readonly kind: 'distribution'; readonly classes: readonly string[] }
  | { readonly kind: 'label' }
  /** A single number has no name. */
  | { readonly kind: 'numbers'; readonly names: readonly string[] };

/** The predictions of a batch, as plain data without an object per persona. */
export type Predictions = Distributions | Labels | Numbers;

interface Errors {
  /** Index of a persona that could not be scored → why. */
  readonly errors: ReadonlyMap<number, { code: string; message: string }>;
}

/** A probability for each class. */
export interface Distributions extends Errors {
  readonly kind: 'distribution';
  /** Sorted by code point if they were taken from the response itself; none if no persona was scored. */
  readonly classes: readonly string[];
  /** personas × classes, row after row; NaN for a persona that has an error. */
  readonly probabilities: Float64Array;
}

/** A text for each persona, such as the predicted class without its probability. */
export interface Labels extends Errors {
  readonly kind: 'label';
  /** The distinct labels of the batch. */
  readonly labels: readonly string[];
  /** By persona, its index in `labels`; -1 for one that has an error. */
  readonly indices: Int32Array;
}

/** One number or several for each persona. */
export interface Numbers extends Errors {
  readonly kind: 'numbers';
  /** None if there is one number for each persona. */
  readonly names: readonly string[];
  /** personas × `numbersPerRow(names)`, row after row; NaN for a persona that has an error. */
  readonly values: Float64Array;
}

/** The classes of a distribution; none for predictions of another kind. */
export const classesOf = (predictionType: PredictionType | undefined): readonly string[] =>
  predictionType?.kind === 'distribution' ? predictionType.classes : [];

/** How many numbers a persona has. */
export const numbersPerRow = ({ length }: readonly string[]): number => Math.max(1, length);

/** How much the sum of a persona's probabilities may differ from 1, because services round them. */
export const tolerance = (classes: number): number => Math.max(0.01, classes * 0.005);

/** Rounding error when adding doubles: 0.13 + 0.88 is slightly more than 1.01. */
const ROUNDING_ERROR = 1e-9;

/** Whether this is a valid sum of probabilities for this number of classes. */
export const sumsToOne = (sum: number, classes: number): boolean =>
  Math.abs(sum - 1) <= tolerance(classes) + ROUNDING_ERROR;

/**
 * Compares by code point, the order in which classes are always listed. The `<` of strings compares UTF-16 units, and
 * JSON objects do not keep the order of names like "10".
 */
export function codePointOrder(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Why a persona has no prediction of which no column is known; a typo must not pass for a missing value. */
export const unknownColumns = {
  code: 'unknown_columns',
  message: "The features contain none of the report's columns.",
} as const;

/** Why a row of a file that is not text is not scored if it has no value at all. A service is never sent one. */
export const noValues = {
  code: unknownColumns.code,
  message: 'no column of the row has a value',
} as const;
