import { codePointOrder } from '../../base/contract/predictions.ts';
import { RowcastError } from '../../base/errors.ts';
import { counted, countOf } from '../../base/number-text.ts';
import { formatList, sanitize } from '../../base/sanitize.ts';
import { suggestNames } from '../../base/suggest-names.ts';
import { seededRandom, shuffled } from '../seeded-random.ts';
import type { ColumnChoices } from './learn-columns.ts';
import { tenthsOf } from './numbers/number-labels.ts';

/** The classes of rows that have a label. */
interface LabeledClasses {
  /** Each row's class, as an index into `classes`. */
  labels: number[];
  /** In code point order; ranges of numbers by their bounds. */
  classes: string[];
}

const MIN_ROWS = 50;
export const MAX_TRAINED_CLASSES = 100;

/**
 * Returns the index of the column to predict.
 *
 * @param likelyHint a better hint than similar names for a missing column, if there is one
 * @throws RowcastError `no_such_column`, with similar names; `ambiguous_column`
 */
export function predictedColumn(header: readonly string[], predict: string, likelyHint?: string): number {
  const column = header.indexOf(predict);
  if (column === -1) throw noSuchColumn(header, `"${sanitize(predict)}" to predict`, predict, likelyHint);
  if (header.indexOf(predict, column + 1) !== -1) {
    throw new RowcastError('ambiguous_column', `more than one column is named "${sanitize(predict)}"`, {
      hint: 'Rename all but the one to predict.',
    });
  }
  return column;
}

/**
 * Checks that the training data has all columns that an option names.
 *
 * @throws RowcastError `no_such_column`
 */
function requireColumns(header: readonly string[], names: readonly string[]): void {
  const known = new Set(header);
  const unknown = names.find(name => !known.has(name));
  if (unknown !== undefined) throw noSuchColumn(header, `"${sanitize(unknown)}"`, unknown);
}

/** Names in quotes. */
const listed = (names: readonly string[]): string => formatList(names.map(name => `"${name}"`));

function noSuchColumn(
  header: readonly string[],
  which: string,
  name: string,
  likelyHint?: string,
): RowcastError {
  const like = suggestNames(name, header);
  // Names in messages are trimmed.
  const spaced = like.some(each => each.trim() === name.trim());
  const question = spaced
    ? `A column with different spaces around its name exists; spaces are part of a name. `
    : like.length === 0
      ? ''
      : `Did you mean ${like.map(each => `"${sanitize(each)}"`).join(' or ')}? `;
  return new RowcastError('no_such_column', `there is no column ${which}`, {
    hint: likelyHint ?? `${question}The columns are: ${listed(header)}.`,
  });
}

/**
 * The classes of labelled rows.
 *
 * @param names each row's class
 * @param order of the classes; by code point if omitted
 * @throws RowcastError as `checkLabels`
 */
export function labelsOf(
  names: readonly string[],
  predict: string,
  order?: readonly string[],
): LabeledClasses {
  const found = new Set(names);
  const classes = order?.filter(name => found.has(name)) ?? [...found].sort(codePointOrder);
  checkLabels({ rows: names.length, classes: classes.length }, predict);
  const index = new Map(classes.map((name, i) => [name, i]));
  return { labels: names.map(name => index.get(name) ?? 0), classes };
}

/**
 * The classes or numbers of labelled rows, and their split.
 *
 * @throws RowcastError as `checkLabels` and `splitRows`
 */
export function splitLabelled(
  { labels: names, numbers, order }: LabelsOfRows,
  predict: string,
  seed: number,
): { labels: readonly number[]; classes: string[]; split: RowSplit } {
  if (numbers === undefined) {
    const { labels, classes } = labelsOf(names, predict, order);
    return { labels, classes, split: splitRows(labels, classes.length, seed) };
  }
  checkLabels({ rows: numbers.length, classes: numbers.some(each => each !== numbers[0]) ? 2 : 1 }, predict);
  const { indexes, count } = tenthsOf(numbers);
  return { labels: numbers, classes: [], split: splitRows(indexes, count, seed) };
}

/** What labelled rows are labelled with. */
interface LabelsOfRows {
  labels: readonly string[];
  numbers?: readonly number[] | undefined;
  order?: readonly string[] | undefined;
}

/** @throws RowcastError `too_few_rows` (fewer than 50), `one_class`, `too_many_classes` (more than 100) */
export function checkLabels({ rows, classes }: { rows: number; classes: number }, predict: string): void {
  if (rows < MIN_ROWS) {
    const count = rows === 1 ? '1 row has' : `${counted(rows)} rows have`;
    throw new RowcastError(
      'too_few_rows',
      `only ${count} a value in "${sanitize(predict)}"; training needs at least ${MIN_ROWS}`,
    );
  }
  if (classes === 1) {
    throw new RowcastError(
      'one_class',
      `every row has the same "${sanitize(predict)}": there is nothing to predict`,
    );
  }
  if (classes > MAX_TRAINED_CLASSES) throw tooManyClasses(predict);
}

/** The error for a column with more than `MAX_TRAINED_CLASSES` classes. */
export function tooManyClasses(predict: string): RowcastError {
  return new RowcastError(
    'too_many_classes',
    `"${sanitize(predict)}" has more than ${MAX_TRAINED_CLASSES} different values, too many for classes`,
    {
      hint: 'Merge rare classes. If nearly all of them are numbers, use --target numbers or, for ranges, --bins 4.',
    },
  );
}

/** Row indexes in ascending order, each in exactly one split. */
export interface RowSplit {
  training: number[];
  validation: number[];
  testing: number[];
}

const TESTING_SHARE = 0.2;
/** Share of the rows for validation among the 80% that are not for testing. */
const VALIDATION_SHARE = 0.2;

/**
 * Splits rows 80/20 into learning and testing, and the former 80/20 into training and validation, stratified by class
 * to within a row. One row of each class is always in training, so that no class is unknown.
 *
 * @throws RowcastError `too_few_rows` if so many classes leave no rows for testing
 */
export function splitRows(labels: readonly number[], classes: number, seed: number): RowSplit {
  const random = seededRandom(seed);
  const byClass: number[][] = Array.from({ length: classes }, () => []);
  labels.forEach((label, row) => {
    byClass[label]?.push(row);
  });
  const mixed = byClass.map(rows => shuffled(rows, random));
  const pinned = mixed.flatMap(rows => rows.slice(0, 1));
  // Taking every nth of the classes one after the other is what stratifies.
  const [testing, rest] = everyNth(
    mixed.flatMap(rows => rows.slice(1)),
    TESTING_SHARE * labels.length,
  );
  const [validation, training] = everyNth(rest, VALIDATION_SHARE * (labels.length - testing.length));
  if (testing.length === 0 || validation.length === 0) {
    throw new RowcastError(
      'too_few_rows',
      `${countOf(labels.length, 'row')} ${labels.length === 1 ? 'is' : 'are'} too few for ${counted(classes)} classes`,
      {
        hint: 'Add rows, or merge rare classes.',
      },
    );
  }
  const ordered = (rows: number[]) => rows.sort((a, b) => a - b);
  return {
    training: ordered([...pinned, ...training]),
    validation: ordered(validation),
    testing: ordered(testing),
  };
}

/** Takes `wanted` rows (or all, if there are fewer), evenly spread. @returns them and the others */
function everyNth(rows: readonly number[], wanted: number): [taken: number[], others: number[]] {
  const share = Math.min(1, Math.round(wanted) / Math.max(1, rows.length));
  const taken: number[] = [];
  const others: number[] = [];
  rows.forEach((row, i) => {
    const take = Math.floor((i + 1) * share + 1e-9) > Math.floor(i * share + 1e-9);
    (take ? taken : others).push(row);
  });
  return [taken, others];
}

/** The columns that a user named, besides the predicted one. */
export const namedColumns = ({
  features = [],
  excludeFeatures = [],
  types = {},
}: ColumnChoices): string[] => [...features, ...excludeFeatures, ...Object.keys(types)];

/**
 * Checks the columns that a user named.
 *
 * @throws RowcastError `no_such_column`; `bad_option` if the predicted column is one of the features
 */
export function checkChoices(header: readonly string[], predict: string, choices: ColumnChoices): void {
  requireColumns(header, namedColumns(choices));
  if (choices.features?.includes(predict) !== true) return;
  throw new RowcastError('bad_option', `--features: "${sanitize(predict)}" is the column to predict`, {
    hint: 'Leave it out: a report never uses the predicted column.',
  });
}
