import { codePointOrder } from '../api/order.ts';
import { RowcastError } from '../errors.ts';
import { shown } from '../shown.ts';
import { listed } from './listed.ts';
import { seededRandom, shuffled } from './random.ts';
import { isBlank } from './values.ts';

/** Rows that have a label, and what they predict. */
export interface LabelledRows {
  /** The predicted column's place in the header. */
  column: number;
  rows: string[][];
  /** Each row's class, as a place in `classes`. */
  labels: number[];
  /** By code point, as everywhere. */
  classes: string[];
  notes: string[];
}

const fewestRows = 50;
const mostClasses = 100;

/**
 * The rows to learn from.
 *
 * @throws RowcastError `no_such_column`, `ambiguous_column`, `too_few_rows` (fewer than 50 with a label),
 *   `one_class`, `too_many_classes` (more than 100)
 */
export function labelledRows(header: readonly string[], rows: string[][], predict: string): LabelledRows {
  const column = header.indexOf(predict);
  if (column === -1) {
    throw new RowcastError('no_such_column', `there is no column "${shown(predict)}" to predict`, {
      hint: `The columns are: ${listed(header)}.`,
    });
  }
  if (header.indexOf(predict, column + 1) !== -1) {
    throw new RowcastError('ambiguous_column', `more than one column is named "${shown(predict)}"`, {
      hint: 'Rename all but the one to predict.',
    });
  }
  const labelled = rows.filter(row => !isBlank(row[column] ?? ''));
  if (labelled.length < fewestRows) {
    throw new RowcastError(
      'too_few_rows',
      `only ${labelled.length} rows have a value in "${shown(predict)}"; training needs at least ${fewestRows}`,
    );
  }
  const names = labelled.map(row => row[column] ?? '');
  const classes = [...new Set(names)].sort(codePointOrder);
  if (classes.length === 1) {
    throw new RowcastError(
      'one_class',
      `every row has the same "${shown(predict)}": there is nothing to predict`,
    );
  }
  if (classes.length > mostClasses) {
    throw new RowcastError(
      'too_many_classes',
      `"${shown(predict)}" has ${classes.length} different values; a report predicts classes, not amounts, and at most ${mostClasses} of them`,
      { hint: 'Put the amounts into ranges first, each with a name.' },
    );
  }
  const place = new Map(classes.map((name, i) => [name, i]));
  const left = rows.length - labelled.length;
  return {
    column,
    rows: labelled,
    labels: names.map(name => place.get(name) ?? 0),
    classes,
    notes:
      left === 0
        ? []
        : [`Left out ${left} ${left === 1 ? 'row' : 'rows'} with an empty "${shown(predict)}".`],
  };
}

/** The rows' places, each in one part, in their order. */
export interface Split {
  training: number[];
  validation: number[];
  testing: number[];
}

const testingShare = 0.2;
/** Of the 80 % that testing leaves. */
const validationShare = 0.2;

/**
 * 80/20 into what is learned from and testing, and a fifth of the 80 as validation; each class gets its share
 * of every part, to within a row. One row of each class is always for training, so that none is unknown.
 *
 * @throws RowcastError `too_few_rows` where so many classes leave nothing to test on
 */
export function splitRows(labels: readonly number[], classes: number, seed: number): Split {
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
    testingShare * labels.length,
  );
  const [validation, training] = everyNth(rest, validationShare * (labels.length - testing.length));
  if (testing.length === 0 || validation.length === 0) {
    throw new RowcastError('too_few_rows', `${labels.length} rows are too few for ${classes} classes`, {
      hint: 'Add rows, or join classes that are rare.',
    });
  }
  const ordered = (rows: number[]) => rows.sort((a, b) => a - b);
  return {
    training: ordered([...pinned, ...training]),
    validation: ordered(validation),
    testing: ordered(testing),
  };
}

/** `wanted` of the rows, evenly spread over them (all, if there are fewer), and the others. */
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
