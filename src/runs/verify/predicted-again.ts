import { RowcastError } from '../../base/errors.ts';
import type { Dialect } from '../../base/parse-records.ts';
import type { ChosenProbabilities } from '../../formats/appended.ts';

/** What rows are predicted to be now: for each row, undefined if it is rejected. */
export type PredictedAgain = (AgainProbabilities | AgainLabels | AgainNumbers) & {
  /** Whether the same rows always get the same numbers. */
  isExact: boolean;
};

export interface AgainProbabilities {
  kind: 'distribution';
  /** All classes, in the order in which a run appends them. */
  classes: readonly string[];
  rows: readonly (readonly number[] | undefined)[];
}

export interface AgainLabels {
  kind: 'label';
  rows: readonly (string | undefined)[];
}

export interface AgainNumbers {
  kind: 'numbers';
  /** None if there is one number for each row. */
  names: readonly string[];
  rows: readonly (readonly number[] | undefined)[];
}

/** What tells which appended field is of which class. */
export interface SampledColumns extends ChosenProbabilities {
  /** The names of the appended columns before they were renamed; undefined if the output has no header. */
  names: readonly string[] | undefined;
  /** The --prefix that the run had. */
  prefix: string;
  dialect: Dialect;
  /** The names of the files, for messages. */
  input: string;
  output: string;
}

/**
 * How the appended fields of a row, as latin1, differ from what is predicted now; undefined if they do not.
 *
 * @param row index of the row
 */
export type CompareFields = (fields: string, row: number) => string | undefined;

/** The error for an output whose columns cannot be those of what is predicted now. */
export const otherColumns = ({ output }: SampledColumns, message: string, hint: string): RowcastError =>
  new RowcastError('bad_option', message, { location: { file: output, line: 1 }, hint });
