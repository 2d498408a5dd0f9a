import type { Predictions, PredictionType } from '../base/contract/predictions.ts';
import type { WordView } from './bytes/word-view.ts';

/** The most bytes that a label takes as UTF-8. The row of a longer one is rejected, as is that of an empty one. */
export const MAX_LABEL_BYTES = 1024;

/** The prefix of appended columns, unless the user gives one. */
export const DEFAULT_PREFIX = 'probability';

/** How probabilities are appended, if not all of them and in full; plain data. */
export interface ChosenProbabilities {
  /** The classes whose probabilities are appended; by default all. */
  probabilities?: 'all' | 'none' | readonly string[] | undefined;
  /** Digits after the point, also of predicted numbers; by default as many as are needed to read back the same one. */
  decimals?: number | undefined;
  /** Whether the output has numbers, not their texts, so that 0.830 is 0.83 when it is read. */
  areNumbers?: boolean | undefined;
  /** Class → the least probability at which it is predicted. */
  threshold?: Readonly<Record<string, number>> | undefined;
}

/** What is appended to each record. */
export interface AppendedOptions {
  predictionType: PredictionType;
  /** First part of the names of probability columns, and of named numbers. */
  prefix: string;
  /**
   * Name of the predicted column: for a distribution, if the most probable class is appended too; else if it is known.
   */
  prediction: string | undefined;
  /**
   * Which probabilities of a distribution are appended; if undefined, all of them in full, and the most likely class is
   * predicted. Of numbers, how many digits they have.
   */
  chosen?: ChosenProbabilities | undefined;
}

/**
 * The columns appended to each record, in the input's dialect, each with a leading delimiter unless no other column is
 * before it.
 */
export interface Appended {
  readonly predictionType: PredictionType;
  /** Appended to the header. */
  readonly names: string;
  /** Whether the output has no other column, and only one of these: then it has no blank lines, which would be rows. */
  readonly isAlone: boolean;
  /** Appended to a row that could not be scored. */
  readonly empty: WordView;
  /** Maximum size for one row, in bytes. */
  readonly maxBytes: number;
  /** How many bytes of the output a byte of the input can become; by default one, because records keep their bytes. */
  readonly growth?: number;
  /**
   * If all probabilities are written in full: for each class what is before its own, and the text of the prediction.
   */
  readonly whole?: { openings: readonly WordView[]; predicted: readonly WordView[] | undefined };
  /** Prepares to write a batch's predictions, which consist of `predictionType`. */
  writer(predictions: Predictions): WriteAppended;
}

/**
 * Maximum size of records with the appended fields, in bytes.
 *
 * @param bytes of the records in the input
 */
export const maxMergedBytes = (
  bytes: number,
  records: number,
  { maxBytes, growth = 1 }: Pick<Appended, 'maxBytes' | 'growth'>,
): number => growth * bytes + records * maxBytes;

/**
 * Writes the appended fields of the scored row with this index to `into[to…]`.
 *
 * @returns the offset after the last byte written
 */
export type WriteAppended = (row: number, into: WordView, to: number) => number;

/** The predictions as those of one kind. @throws TypeError if they are of another: a stage before has checked it */
export function ofKind<K extends Predictions['kind']>(
  predictions: Predictions,
  kind: K,
): Extract<Predictions, { kind: K }> {
  if (predictions.kind !== kind)
    throw new TypeError(`predictions of the kind ${predictions.kind}, not ${kind}`);
  return predictions as Extract<Predictions, { kind: K }>; // its kind was compared
}

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

/**
 * A predicted number as it is appended: in full, or with this many digits after the point. One that is rounded to zero
 * has no sign, so that the text is that of the number which is read back. Beyond 1e21 there are no digits after the
 * point.
 */
export function predictedNumber(value: number, decimals: number | undefined): string {
  if (decimals === undefined) return String(value);
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? (0).toFixed(decimals) : text;
}

/** A number that was appended with this many digits, as the output is read. */
export function readAppendedNumber(
  value: number,
  { decimals, areNumbers = false }: Pick<ChosenProbabilities, 'decimals' | 'areNumbers'>,
): string {
  const text = predictedNumber(value, decimals);
  return areNumbers ? String(Number(text)) : text;
}
