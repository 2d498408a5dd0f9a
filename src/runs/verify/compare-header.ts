import { sanitize } from '../../base/sanitize.ts';
import { type ChosenProbabilities, DEFAULT_PREFIX } from '../../formats/appended.ts';
import { type Comparison, NOT_NAMED } from '../../formats/comparison.ts';
import type { ColumnOptions } from '../../formats/output-columns.ts';
import { type AppendedCheck, type AppendedShape, appendedCheck } from './check-appended.ts';
import { mismatch } from './record-cursor.ts';

/** The options of the run that decide which columns its output has, and what was appended. */
export type OutputShape = ColumnOptions &
  ChosenProbabilities &
  Pick<AppendedShape, 'kind' | 'prefix' | 'prediction'> & {
    /** The classes of the run, if they are known. */
    classes?: readonly string[] | undefined;
    /** The predicted column, if it is known. */
    predict?: string | undefined;
  };

/**
 * Compares what is before the first records of INPUT and OUTPUT.
 *
 * @returns a check of the fields appended to OUTPUT's rows
 * @throws RowcastError `difference`
 */
export function compareHeaders(
  comparison: Comparison,
  files: Record<'input' | 'output', string>,
  shape: OutputShape,
): AppendedCheck {
  const check = appendedCheckOf(comparison, files.output, shape);
  if (comparison.endsAlike) return check;
  throw mismatch(`the header's line ending differs from that of ${files.input}`, {
    file: files.output,
    line: 1,
  });
}

/** As `compareHeaders`, but does not compare the line endings of the two headers. */
export function appendedCheckOf(comparison: Comparison, output: string, shape: OutputShape): AppendedCheck {
  const { dialect, ownNames } = comparison;
  const isAfterOthers = ownNames.length > 0;
  const location = { file: output, line: 1 };
  const appended = expectedNames(comparison, shape);
  if (typeof appended !== 'number' && 'wrong' in appended) throw mismatch(appended.wrong, location);
  const repeated = typeof appended === 'number' ? undefined : repeatedName(appended);
  if (repeated !== undefined)
    throw mismatch(`there are two appended columns "${sanitize(repeated)}"`, location);
  const unknown = typeof appended === 'number' ? undefined : unknownName(appended, shape);
  if (unknown !== undefined)
    throw mismatch(
      `the appended column "${sanitize(unknown)}" is not named by --classes or --predict`,
      location,
      'Give those of the run. Otherwise the output was modified.',
    );
  const check = appendedCheck(appended, dialect, { ...shape, isAfterOthers });
  if (check !== undefined) return check;
  const { kind, prediction } = shape;
  const others = { ...shape, isAfterOthers, prediction: undefined };
  if (prediction !== undefined && appendedCheck(appended, dialect, others) !== undefined)
    throw mismatch(
      prediction ? 'there is no predicted column, predicted_…' : 'there is a predicted column',
      location,
      `Without --${prediction ? '' : 'no-'}prediction, the columns tell. Otherwise the output was modified.`,
    );
  if (typeof appended !== 'number' && (kind === 'label' || kind === 'numbers'))
    throw mismatch(
      `the appended columns are not named as those of ${kind === 'label' ? 'labels' : 'numbers'} are`,
      location,
    );
  if (typeof appended !== 'number') throw mismatch(NOT_NAMED, location);
  // An output without rows has nothing that tells its columns, but for the options.
  const nothing = { wrong: 'nothing is appended' };
  return { isAfterOthers, isAlone: !isAfterOthers && appendsOne(shape), check: () => nothing };
}

/** Whether the options say that a single column is appended. */
function appendsOne({ kind, probabilities = 'all', prediction, threshold }: OutputShape): boolean {
  if (probabilities === 'all') return kind === 'label';
  const shown = probabilities === 'none' ? 0 : probabilities.length;
  return shown + Number(prediction === true || threshold !== undefined) === 1;
}

/** The first appended column that has the name of one before it, which no run writes. */
const repeatedName = (names: readonly string[]): string | undefined =>
  new Set(names).size === names.length ? undefined : names.find((name, index) => names.indexOf(name) < index);

/** The first appended column whose name is that of no known class, or of another predicted column. */
function unknownName(
  names: readonly string[],
  { classes, predict, prefix, kind, probabilities = 'all' }: OutputShape,
): string | undefined {
  const last = names.at(-1);
  const isPredicted = last?.startsWith('predicted_') === true && prefix !== 'predicted';
  if (predict !== undefined && isPredicted && last !== `predicted_${predict}`) return last;
  const isNumberAlone = kind === 'numbers' && names.length === 1 && !isPredicted;
  if (predict !== undefined && isNumberAlone && last?.startsWith(`${prefix ?? DEFAULT_PREFIX}_`) !== true)
    return last;
  const isOfClasses = kind === 'distribution' || (kind === undefined && !(isPredicted && names.length === 1));
  if (classes === undefined || !isOfClasses || probabilities !== 'all') return undefined;
  const shown = isPredicted ? names.slice(0, -1) : names;
  return shown.find((name, index) => !name.endsWith(`_${classes[index]}`));
}

/** The names of the appended columns before `rename`, or what else the output tells of them. */
export function expectedNames(
  { appended }: Comparison,
  { rename = {} }: Pick<ColumnOptions, 'rename'>,
): Comparison['appended'] {
  if (typeof appended === 'number' || 'wrong' in appended) return appended;
  const former = new Map(Object.entries(rename).map(([from, to]) => [to, from]));
  return appended.map(name => former.get(name) ?? name);
}
