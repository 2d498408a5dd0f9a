import { RowcastError } from '../../base/errors.ts';
import { columnEncoderOf } from '../../formats/columns/column-encoder.ts';
import { textsOf } from '../../formats/records/fields.ts';
import { isBlank } from '../../formats/values/coerce.ts';
import { meanOf } from '../learn/numbers/errors.ts';
import { labelRows } from '../rows/labels.ts';
import { type LearnedColumns, learnColumns } from '../rows/learn-columns.ts';
import { openRecords } from '../rows/open-batches.ts';
import type { HistoryOptions } from '../rows/read-history.ts';
import { predictedColumn, type RowSplit, splitLabelled } from '../rows/split-rows.ts';
import { mostFrequent } from './quality.ts';

export interface LabelledRows {
  rows: readonly (readonly string[])[];
  /** Each row's class or number. */
  labels: readonly number[];
  /** 1 for numbers. */
  classes: number;
}

/** A column leaks if it leaves at most this share of the errors of always predicting the most frequent class. */
const LEFT_ERRORS = 0.05;
/** With fewer errors, a column may avoid them by chance. */
const MIN_ERRORS = 5;
const MAX_TRAINING = 20_000;
const MAX_VALIDATION = 5_000;
const MAX_CELLS = 256;

/** The same for the squared errors of always predicting the mean rank of a number. */
const LEFT_SQUARES = 0.02;

/**
 * The names of columns that alone nearly determine the class or number. Each column's values, with numbers in up to 256
 * ranges, are mapped to their most frequent class in the training split; the mapping is tested on the validation split.
 * Numbers are replaced by their ranks, whose mean is taken.
 */
export function leakingColumns(
  { columns, indexes }: LearnedColumns,
  { rows, labels, classes }: LabelledRows,
  split: Pick<RowSplit, 'training' | 'validation'>,
): string[] {
  const training = spread(split.training, MAX_TRAINING);
  const validation = spread(split.validation, MAX_VALIDATION);
  const isOfNumbers = classes === 1;
  const learnedLabels = isOfNumbers ? ranksOf(labels) : labels;
  const labelOf = (row: number) => learnedLabels[row] ?? 0;
  const typical = (own: readonly number[]) => (isOfNumbers ? meanOf(own) : mostFrequent(own, classes));
  const errorsOf = (guessOf: (row: number) => number): number =>
    validation.reduce((sum, row) => {
      const error = guessOf(row) - labelOf(row);
      return sum + (isOfNumbers ? error * error : Number(error !== 0));
    }, 0);
  const overall = typical(training.map(labelOf));
  const errors = errorsOf(() => overall);
  if (errors < (isOfNumbers ? Number.MIN_VALUE : MIN_ERRORS)) return [];
  const names = columns.flatMap((column, i) => {
    const textOf = (row: number) => rows[row]?.[indexes[i] ?? 0] ?? '';
    const cellOf =
      column.type === 'categorical' ? textOf : rangesOf(columnEncoderOf(column), training, textOf);
    const guesses = new Map<string | number, number>();
    for (const [cell, own] of grouped(training, cellOf)) guesses.set(cell, typical(own.map(labelOf)));
    const left = errorsOf(row => guesses.get(cellOf(row)) ?? overall);
    return left <= (isOfNumbers ? LEFT_SQUARES : LEFT_ERRORS) * errors ? [column.name] : [];
  });
  return [...new Set(names)];
}

/** The rank of each number, that of equal ones the first. */
function ranksOf(numbers: readonly number[]): number[] {
  const ranks = new Map<number, number>();
  for (const [rank, value] of numbers.toSorted((a, b) => a - b).entries())
    if (!ranks.has(value)) ranks.set(value, rank);
  return numbers.map(value => ranks.get(value) ?? 0);
}

/** Returns a function from a row to its range of a numeric or date column; -1 for a missing value. */
function rangesOf(
  encode: (text: string) => number | null,
  training: readonly number[],
  textOf: (row: number) => string,
): (row: number) => number {
  const sorted = Float64Array.from(training.flatMap(row => encode(textOf(row)) ?? [])).sort();
  const edges = Float64Array.from(
    new Set(
      Array.from({ length: MAX_CELLS }, (_, i) => sorted[Math.floor((i * sorted.length) / MAX_CELLS)] ?? 0),
    ),
  );
  return row => {
    const value = encode(textOf(row));
    if (value === null) return -1;
    let [low, high] = [0, edges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((edges[middle] ?? 0) <= value) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

function grouped(
  rows: readonly number[],
  keyOf: (row: number) => string | number,
): Map<string | number, number[]> {
  const groups = new Map<string | number, number[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}

/** At most `most` of the rows, evenly spread. */
function spread(rows: readonly number[], most: number): number[] {
  const step = Math.max(1, rows.length / most);
  return Array.from({ length: Math.min(most, rows.length) }, (_, i) => rows[Math.floor(i * step)] ?? 0);
}

/** Enough to notice a leak. */
const MAX_PREVIEWED_ROWS = 5_000;
/** Fewer rows are read of a file with many columns. */
const MAX_PREVIEWED_CELLS = 200_000;
const MIN_PREVIEWED_ROWS = 500;

/**
 * The columns that would get the warning `leak`, judged by the first rows alone.
 *
 * @returns none if these rows cannot be trained on, such as those of a single class
 */
export async function previewLeaks(options: HistoryOptions): Promise<string[]> {
  const { predict, seed } = options;
  try {
    const { header, column, rows } = await firstRows(options);
    const labelled = labelRows(
      rows.filter(row => !isBlank(row[column] ?? '')),
      column,
      options,
    );
    const { labels, classes, split } = splitLabelled(labelled, predict, seed);
    const learned = learnColumns(header, labelled.rows, column, options);
    const count = Math.max(1, classes.length);
    return leakingColumns(learned, { rows: labelled.rows, labels, classes: count }, split);
  } catch (error) {
    if (error instanceof RowcastError) return []; // the training will tell
    throw error;
  }
}

async function firstRows(
  options: HistoryOptions,
): Promise<{ header: readonly string[]; column: number; rows: string[][] }> {
  const { layout, batches, close } = await openRecords(options.historyFile, {
    ...options,
    onLongField: () => {},
  });
  try {
    const { names } = layout;
    const most = Math.min(
      MAX_PREVIEWED_ROWS,
      Math.max(MIN_PREVIEWED_ROWS, Math.floor(MAX_PREVIEWED_CELLS / names.length)),
    );
    const fieldsOf = layout.fieldReader();
    const rows: string[][] = [];
    for await (const batch of batches) {
      const fields = fieldsOf(batch);
      for (let row = 0; row < fields.rows && rows.length < most; row++) rows.push(textsOf(fields, row));
      if (rows.length === most) break;
    }
    return { header: names, column: predictedColumn(names, options.predict), rows };
  } finally {
    close();
  }
}
