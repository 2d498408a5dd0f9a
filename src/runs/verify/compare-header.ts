import type { ChosenProbabilities } from '../../formats/appended.ts';
import type { ColumnOptions } from '../../formats/column-options.ts';
import { type Comparison, NOT_NAMED } from '../../formats/comparison.ts';
import { type AppendedCheck, type AppendedShape, appendedCheck } from './check-appended.ts';
import { mismatch } from './mismatch.ts';

/** The options of the run that decide which columns its output has, and what was appended. */
export type OutputShape = ColumnOptions & ChosenProbabilities & Pick<AppendedShape, 'kind' | 'prefix'>;

/** The names of the files, for messages. */
export interface ComparedFiles {
  input: string;
  output: string;
}

/**
 * Compares what is before the first records of INPUT and OUTPUT.
 *
 * @returns a check of the fields appended to OUTPUT's rows
 * @throws RowcastError `difference`
 */
export function compareHeaders(
  comparison: Comparison,
  files: ComparedFiles,
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
  const appended = appendedNames(comparison, shape);
  if (typeof appended !== 'number' && 'wrong' in appended) throw mismatch(appended.wrong, location);
  const check = appendedCheck(appended, dialect, { ...shape, isAfterOthers });
  if (check !== undefined) return check;
  const { kind } = shape;
  if (typeof appended !== 'number' && (kind === 'label' || kind === 'numbers'))
    throw mismatch(
      `the appended columns are not named as those of ${kind === 'label' ? 'labels' : 'numbers'} are`,
      location,
    );
  if (typeof appended !== 'number') throw mismatch(NOT_NAMED, location);
  // An output without rows has nothing that tells its columns.
  const nothing = { wrong: 'nothing is appended' };
  return { isAfterOthers, isAlone: false, check: () => nothing };
}

/** The names of the appended columns before `rename`, or what else the output tells of them. */
export function appendedNames(
  { appended }: Comparison,
  { rename = {} }: Pick<ColumnOptions, 'rename'>,
): Comparison['appended'] {
  if (typeof appended === 'number' || 'wrong' in appended) return appended;
  const former = new Map(Object.entries(rename).map(([from, to]) => [to, from]));
  return appended.map(name => former.get(name) ?? name);
}
