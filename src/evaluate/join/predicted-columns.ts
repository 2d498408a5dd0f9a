import { RowcastError } from '../../base/errors.ts';
import { formatList, sanitize } from '../../base/sanitize.ts';
import { shellWord } from '../../base/shell-word.ts';
import { suggestNames } from '../../base/suggest-names.ts';
import { DEFAULT_PREFIX } from '../../formats/appended.ts';

/** Which columns of a scored file are its predictions, by their names. */
export interface PredictedColumns {
  /** In the order of their columns; undefined for numbers. */
  readonly classes: readonly string[] | undefined;
  /** The columns of the probabilities, or of the number; that of one of two classes may be missing: undefined. */
  readonly values: readonly (string | undefined)[];
  /** The column of the predicted class. */
  readonly label: string | undefined;
}

export interface PredictedOptions {
  /** The column that was predicted. */
  predict: string;
  /** The --prefix that the run had. */
  prefix?: string | undefined;
  /** The classes, if the names of the columns do not tell them. */
  classes?: readonly string[] | undefined;
}

/**
 * Finds the predictions of a scored file: `<prefix>_<class>` for each class, perhaps with the predicted class, or
 * `predicted_<column>` alone, which is a class if classes are given, and else a number.
 *
 * @param file for the message
 * @throws RowcastError `no_predictions`
 */
export function predictedColumns(
  names: readonly string[],
  { predict, prefix = DEFAULT_PREFIX, classes }: PredictedOptions,
  file: string,
): PredictedColumns {
  const known = new Set(names);
  const label = [`predicted_${predict}`, 'prediction'].find(name => known.has(name));
  const probabilities = names.filter(name => name.startsWith(`${prefix}_`));
  if (classes !== undefined) {
    const values = classes.map(name => [`${prefix}_${name}`].find(column => known.has(column)));
    const missing = values.filter(name => name === undefined).length;
    if (missing === 0 || (missing === 1 && classes.length === 2)) return { classes, values, label };
    if (missing === classes.length && label !== undefined) return { classes, values: [], label };
  } else if (probabilities.length > 1)
    return {
      classes: probabilities.map(name => name.slice(prefix.length + 1)),
      values: probabilities,
      label,
    };
  else if (probabilities.length === 0 && label !== undefined)
    return { classes: undefined, values: [label], label: undefined };
  throw new RowcastError('no_predictions', noPredictions(probabilities, { predict, prefix, classes }), {
    location: { file },
    hint: hintFor(names, probabilities, classes),
  });
}

function noPredictions(
  probabilities: readonly string[],
  { predict, prefix = DEFAULT_PREFIX, classes }: PredictedOptions,
): string {
  if (classes !== undefined)
    return `the file does not have the columns ${sanitize(classes.map(name => `"${prefix}_${name}"`).join(', '))}`;
  return probabilities.length === 1
    ? `the file has the probability of one class only, "${sanitize(probabilities[0] ?? '')}"`
    : `the file has no predictions: neither "${sanitize(prefix)}_…" for each class nor "predicted_${sanitize(predict)}"`;
}

function hintFor(
  names: readonly string[],
  probabilities: readonly string[],
  classes: readonly string[] | undefined,
): string {
  const columns = `The columns are: ${formatList(names.map(name => `"${name}"`))}.`;
  if (classes !== undefined) return `Name the classes as the columns do. ${columns}`;
  const predicted = names.flatMap(name => /^predicted_(.+)$/s.exec(name)?.[1] ?? []);
  if (predicted.length > 0 && probabilities.length === 0)
    return `Did you mean --predict ${shellWord(predicted[0] ?? '')}?`;
  return probabilities.length === 1
    ? 'If there are two classes, name both: --classes no,yes.'
    : `Give a file that score has written, and its --prefix if it had one. ${columns}`;
}

/**
 * The index of a column that an option names.
 *
 * @param option for the message, such as `--key`
 * @throws RowcastError `no_such_column`, `ambiguous_column`
 */
export function columnIndex(names: readonly string[], name: string, option: string, file: string): number {
  const index = names.indexOf(name);
  const location = { file };
  if (index === -1) {
    const near = suggestNames(name, names).map(other => `"${sanitize(other)}"`);
    const hint =
      near.length > 0
        ? `Did you mean ${near.join(' or ')}?`
        : `The columns are: ${formatList(names.map(other => `"${other}"`))}.`;
    throw new RowcastError('no_such_column', `${option}: there is no column "${sanitize(name)}"`, {
      location,
      hint,
    });
  }
  if (names.indexOf(name, index + 1) !== -1)
    throw new RowcastError('ambiguous_column', `${option}: two columns are named "${sanitize(name)}"`, {
      location,
      hint: 'Rename one of them.',
    });
  return index;
}
