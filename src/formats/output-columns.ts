import { RowcastError } from '../base/errors.ts';
import { sanitize } from '../base/sanitize.ts';
import { suggestNames } from '../base/suggest-names.ts';
import { rejectColumns } from './records/reject.ts';
import type { RowGroups } from './records/row-groups.ts';

/** The columns of an input. */
export interface Named {
  readonly names: readonly string[];
}

/** The columns of an output that are not simply those of its input, as plain data. */
export interface OutputColumns {
  /** The indices of the input's columns, in their order in the output; undefined for all. */
  readonly kept: readonly number[] | undefined;
  readonly rename: Readonly<Record<string, string>>;
  readonly hasHeader: boolean;
  /** The name of the input, for messages. */
  readonly file: string;
}

/**
 * The columns of an output.
 *
 * @returns undefined if they are those of the input, with the same names
 * @throws RowcastError `missing_columns`, `duplicate_columns`
 */
export function outputColumns(input: Named, options: ColumnOptions, file: string): OutputColumns | undefined {
  const { keep = 'all', rename = {}, writes } = options;
  // A file with groups names its columns elsewhere.
  const outputHeader = writes?.groups === undefined && options.outputHeader !== false;
  if (keep === 'all' && Object.keys(rename).length === 0 && outputHeader) return undefined;
  return { kept: keptIndices(input, keep, file), rename, hasHeader: outputHeader, file };
}

function keptIndices(
  { names }: Named,
  keep: NonNullable<ColumnOptions['keep']>,
  file: string,
): number[] | undefined {
  if (keep === 'all') return undefined;
  // A rejects file is scored in order to be put back by its first columns.
  const first = rejectColumns.every((name, index) => names[index] === name)
    ? rejectColumns.map((_, i) => i)
    : [];
  const wanted = keep === 'none' ? [] : keep;
  const kept = wanted.map(name => {
    const index = names.indexOf(name);
    if (index === -1) throw missing(name, names, file);
    if (names.indexOf(name, index + 1) !== -1 || wanted.indexOf(name) !== wanted.lastIndexOf(name))
      throw new RowcastError('duplicate_columns', `--keep: there are two columns "${sanitize(name)}"`, {
        location: { file, line: 1 },
        hint: 'Rename one in the input, or keep it once.',
      });
    return index;
  });
  return [...first, ...kept.filter(index => !first.includes(index))];
}

function missing(name: string, names: readonly string[], file: string): RowcastError {
  const near = suggestNames(name, names).map(other => `"${sanitize(other)}"`);
  return new RowcastError('missing_columns', `the input has no column "${sanitize(name)}"`, {
    location: { file, line: 1 },
    hint: near.length === 0 ? 'Check --keep and --rename.' : `Did you mean ${near.join(' or ')}?`,
  });
}

/** The names of the input's columns in the output. */
export function ownNames({ names }: Named, columns: OutputColumns | undefined): readonly string[] {
  if (columns === undefined) return names;
  const { kept } = columns;
  const chosen = kept === undefined ? names : kept.map(index => names[index] ?? '');
  return chosen.map(name => renamed(name, columns));
}

/** A column's name in the output. */
export const renamed = (name: string, columns: OutputColumns | undefined): string =>
  columns !== undefined && Object.hasOwn(columns.rename, name) ? (columns.rename[name] ?? name) : name;

/**
 * Checks the new names of all columns.
 *
 * @param appended the appended columns, as they are called without `rename`
 * @throws RowcastError `missing_columns`, `duplicate_columns`
 */
export function checkRenamed(input: Named, appended: readonly string[], columns: OutputColumns): void {
  const former = [...ownNames(input, { ...columns, rename: {} }), ...appended];
  for (const name of Object.keys(columns.rename))
    if (!former.includes(name)) throw missing(name, former, columns.file);
  const names = former.map(name => renamed(name, columns));
  for (const name of Object.values(columns.rename))
    if (names.indexOf(name) !== names.lastIndexOf(name))
      throw new RowcastError('duplicate_columns', `the output would have two columns "${sanitize(name)}"`, {
        hint: 'Give --rename another name.',
      });
}

/** The options that decide which columns an output has, and what they are called. */
export interface ColumnOptions {
  /** The input's columns, in this order; by default all. */
  keep?: 'all' | 'none' | readonly string[] | undefined;
  /** Name of a column → its name in the output. */
  rename?: Readonly<Record<string, string>> | undefined;
  /** False if the output has no header line. */
  outputHeader?: boolean | undefined;
  /** Column → its type as options and reports call it, if it is known. */
  types?: Readonly<Record<string, string>> | undefined;
  /** What is written of the input, if anything is. */
  writes?: WrittenFile | undefined;
}

/** A file that is written. */
export interface WrittenFile {
  /** Its name without the suffix of a compression. */
  readonly name: string;
  /** The name of its format; by default that of the input. */
  readonly format?: string | undefined;
  /** How its rows are grouped, unless it is text or the groups of the input stay as they are. */
  readonly groups?: RowGroups | undefined;
  /** Whether its columns of numbers can have nothing else. */
  readonly hasNumbers?: boolean | undefined;
  /** Whether it is there, so that the types of the options are those of its columns. */
  readonly isThere?: boolean | undefined;
}
