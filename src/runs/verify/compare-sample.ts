import { numbersPerRow } from '../../base/contract/predictions.ts';
import { RowcastError } from '../../base/errors.ts';
import type { Dialect } from '../../base/parse-records.ts';
import { sanitize } from '../../base/sanitize.ts';
import {
  type ChosenProbabilities,
  predictedClass,
  readAppendedNumber,
  thresholdsOf,
} from '../../formats/appended.ts';
import { latin1FieldOf } from './check-prediction.ts';
import { mismatch } from './record-cursor.ts';
import type { SampledRow } from './sample.ts';

/**
 * Compares the appended fields of rows with what is predicted for them now.
 *
 * @throws RowcastError `difference`; `bad_option` if the columns are not those of such predictions
 */
export function compareSample(
  sample: readonly SampledRow[],
  predicted: PredictedAgain,
  columns: SampledColumns,
): void {
  const compare = comparerOf(predicted, columns);
  for (const [index, { row, inputLine, line, appended }] of sample.entries()) {
    const difference =
      predicted.rows[index] === undefined
        ? 'there is a prediction, but the row is rejected now'
        : compare(appended, index);
    if (difference === undefined) continue;
    throw mismatch(
      `${difference}, in row ${row}, at ${columns.input}:${inputLine}`,
      { file: columns.output, line, row },
      'The prediction is of another row or column, or the report, service or an option is not that of the run.',
    );
  }
}

function comparerOf(predicted: PredictedAgain, columns: SampledColumns): CompareFields {
  switch (predicted.kind) {
    case 'distribution':
      return probabilitiesComparer(predicted, columns, predicted.isExact);
    case 'label':
      return labelComparer(predicted, columns);
    case 'numbers':
      return numbersComparer(predicted, columns, predicted.isExact);
  }
}

/** How much a probability may differ if the service may calculate it in another way each time. */
const TOLERANCE = 1e-4;

/** Compares probabilities and the predicted class, as far as they were appended. @throws RowcastError `bad_option` */
function probabilitiesComparer(
  { classes, rows }: AgainProbabilities,
  columns: SampledColumns,
  isExact: boolean,
): CompareFields {
  const { decimals, threshold, dialect, names } = columns;
  const shown = shownClasses(classes, columns);
  const fields = classes.map(name => latin1FieldOf(name, dialect));
  const thresholds = thresholdsOf(classes, threshold);
  const rounding = decimals === undefined ? 0 : 10 ** -decimals / 2;
  return (appended, row) => {
    const probabilities = rows[row] ?? [];
    const parts = appended.split(dialect.delimiter);
    for (const [column, index] of shown.entries()) {
      const [field = '', now = Number.NaN] = [parts[column], probabilities[index]];
      const written = readAppendedNumber(now, columns);
      if (field === written) continue;
      if (!isExact && Math.abs(Number(field) - now) <= TOLERANCE + rounding) continue;
      return `${sanitize(names?.[column] ?? `appended field ${column + 1}`)} is ${sanitize(field)}, but ${written} is predicted now`;
    }
    if (parts.length === shown.length) return undefined;
    const field = parts.slice(shown.length).join(dialect.delimiter);
    const now = Float64Array.from(probabilities);
    const expected = predictedClass(now, 0, thresholds);
    if (field === fields[expected]) return undefined;
    const found = fields.indexOf(field);
    const isClose =
      Math.abs((now[found] ?? Number.NaN) - (now[expected] ?? 0)) <= 2 * TOLERANCE ||
      thresholds.some((least, index) => Math.abs((now[index] ?? 0) - least) <= TOLERANCE);
    if (!isExact && found !== -1 && isClose) return undefined;
    return `"${sanitize(Buffer.from(field, 'latin1').toString())}" is predicted in the output, but "${sanitize(classes[expected] ?? '')}" now`;
  };
}

/** The class of each probability column, by its index. @throws RowcastError `bad_option` */
function shownClasses(classes: readonly string[], columns: SampledColumns): number[] {
  const { names, prefix, probabilities: chosen = 'all' } = columns;
  const listed = typeof chosen === 'string' ? undefined : [...new Set(chosen)];
  const indicesOf = (shown: readonly string[]): number[] => shown.map(name => classes.indexOf(name));
  const count = chosen === 'none' ? 0 : (listed ?? classes).length;
  const shown = names?.slice(0, count) ?? [];
  const [first] = shown;
  if (first === undefined) return indicesOf(listed ?? (chosen === 'none' ? [] : classes));
  const possible = classes
    .filter(name => first.endsWith(`_${name}`))
    .map(name => first.slice(0, -name.length));
  for (const before of [`${prefix}_`, ...possible]) {
    const indices = indicesOf(
      shown.map(name => (name.startsWith(before) ? name.slice(before.length) : name)),
    );
    if (!indices.includes(-1)) return indices;
  }
  throw otherColumns(
    columns,
    `the columns ${sanitize(shown.join(', '))} are not those of the classes`,
    `The report has the classes ${sanitize(classes.join(', '))}. Give verify the --rename and --classes of the run.`,
  );
}

/** How much a number may differ, as a share of it, if the service may calculate it in another way each time. */
const RELATIVE_TOLERANCE = 1e-4;

/** Compares labels: there is no label that is nearly the same. @throws RowcastError `bad_option` */
function labelComparer({ rows }: AgainLabels, columns: SampledColumns): CompareFields {
  const { dialect, names } = columns;
  if (names !== undefined && names.length !== 1)
    throw otherColumns(
      columns,
      `${names.length} columns are appended, but a label is predicted now`,
      'Name the report and the service that the run had.',
    );
  return (field, row) => {
    const now = rows[row] ?? '';
    if (field === latin1FieldOf(now, dialect)) return undefined;
    return `"${sanitize(Buffer.from(field, 'latin1').toString())}" is predicted in the output, but "${sanitize(now)}" now`;
  };
}

/** Compares numbers, each with that of its name. @throws RowcastError `bad_option` */
function numbersComparer(
  { names: predicted, rows }: AgainNumbers,
  columns: SampledColumns,
  isExact: boolean,
): CompareFields {
  const { decimals, dialect, names } = columns;
  const indexes = indexesOf(predicted, columns);
  const rounding = decimals === undefined ? 0 : 10 ** -decimals / 2;
  return (appended, row) => {
    const parts = appended.split(dialect.delimiter);
    if (parts.length !== indexes.length)
      return `there are ${parts.length} numbers, but ${indexes.length} are predicted now`;
    for (const [column, index] of indexes.entries()) {
      const [field = '', now = Number.NaN] = [parts[column], rows[row]?.[index]];
      const written = readAppendedNumber(now, columns);
      if (field === written) continue;
      const tolerance = RELATIVE_TOLERANCE * Math.abs(now) + rounding;
      if (!isExact && field !== '' && Math.abs(Number(field) - now) <= tolerance) continue;
      return `${sanitize(names?.[column] ?? `appended field ${column + 1}`)} is ${sanitize(field)}, but ${written} is predicted now`;
    }
    return undefined;
  };
}

/** For each appended column, the index of its number: by the names, whose order may differ; else in their order. */
function indexesOf(predicted: readonly string[], columns: SampledColumns): number[] {
  const { names, prefix } = columns;
  const count = numbersPerRow(predicted);
  const inOrder = Array.from({ length: count }, (_, index) => index);
  if (names === undefined || (count === 1 && names.length === 1)) return inOrder;
  const indexes = names.map(name => predicted.findIndex(own => name === `${prefix}_${own}`));
  if (indexes.length === count && !indexes.includes(-1)) return indexes;
  throw otherColumns(
    columns,
    `the columns ${sanitize(names.join(', '))} are not those of the numbers that are predicted now`,
    `They are named ${sanitize(predicted.join(', ')) || 'by no name'}. Give verify the --prefix and --rename of the run.`,
  );
}

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
type CompareFields = (fields: string, row: number) => string | undefined;

/** The error for an output whose columns cannot be those of what is predicted now. */
const otherColumns = ({ output }: SampledColumns, message: string, hint: string): RowcastError =>
  new RowcastError('bad_option', message, { location: { file: output, line: 1 }, hint });
