import type { PipedFile } from '../../base/shell-pipe.ts';
import { shellWord } from '../../base/shell-word.ts';
import { jqPath } from '../../base/unsupported-files.ts';
import { filteredBy } from '../filtered-by.ts';
import { parseLine } from './parse-line.ts';

/**
 * What to do if the rows are in a list of the only object, as in responses: `{"data":[{"age":1},{"age":2}]}`.
 *
 * @param line the first object
 * @param columns of the rows
 * @param file for the command
 * @returns undefined if none of its lists has objects with such columns
 */
export function rowsInList(line: string, columns: readonly string[], file: PipedFile): string | undefined {
  // A malformed line is reported when it is read; this one has an object.
  const members = Object.entries(parseLine(line) as Record<string, unknown>);
  const outer = columns.map(name => name.split('.')[0] ?? name);
  const isRow = (value: unknown): boolean =>
    typeof value === 'object' &&
    value !== null &&
    [...columns, ...outer].some(name => Object.hasOwn(value, name));
  const [name] = members.find(([, value]) => Array.isArray(value) && isRow(value[0])) ?? [];
  if (name === undefined) return undefined;
  const path = jqPath(JSON.stringify(name).slice(1, -1));
  return `The rows are in a list of the first object. ${filteredBy(file, `jq -c ${shellWord(`${path}[]`)}`)}`;
}
