import type { WordView } from './bytes/word-view.ts';

/** How probabilities are appended, if not all of them and in full; plain data. */
export interface ChosenProbabilities {
  /** The classes whose probabilities are appended; by default all. */
  probabilities?: 'all' | 'none' | readonly string[] | undefined;
  /** Digits after the point; by default as many as are needed to read back the same number. */
  decimals?: number | undefined;
  /** Class → the least probability at which it is predicted. */
  threshold?: Readonly<Record<string, number>> | undefined;
}

/** What is appended to each record. */
export interface AppendedOptions {
  classes: readonly string[];
  /** First part of the probability columns' names. */
  prefix: string;
  /** Name of the predicted column, if the most probable class is appended too. */
  prediction: string | undefined;
  /** If undefined, all probabilities are appended in full, and the most likely class is predicted. */
  chosen?: ChosenProbabilities | undefined;
}

/** The columns appended to each record, in the input's dialect, each with a leading delimiter unless no other column is before it. */
export interface Appended {
  readonly classes: readonly string[];
  /** Appended to the header. */
  readonly names: string;
  /** Whether the output has no other column, and only one of these: then it has no blank lines, which would be rows. */
  readonly isAlone: boolean;
  /** Appended to a row that could not be scored. */
  readonly empty: WordView;
  /** Maximum size for one row, in bytes. */
  readonly maxBytes: number;
  /** If all probabilities are written in full: what is before each, and for each class the text of the prediction. */
  readonly usual?: { delimiter: number; predicted: readonly WordView[] | undefined };
  /**
   * Writes the appended fields of a scored row to `into[to…]`; its probabilities are at `probabilities[at…]`, one per class.
   *
   * @returns the offset after the last byte written
   */
  write(probabilities: Float64Array, at: number, into: WordView, to: number): number;
}
