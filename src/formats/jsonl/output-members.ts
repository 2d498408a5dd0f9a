import type { ColumnOptions } from '../column-options.ts';
import { outputColumns } from '../output-columns.ts';
import type { LineShape } from './line-shape.ts';
import type { LineColumns } from './merge-lines.ts';

/**
 * The members of an output's objects.
 *
 * @returns undefined if they are those of the input, with the same names
 * @throws RowcastError `missing_columns`, `duplicate_columns`
 */
export function lineColumns(
  { members }: Pick<LineShape, 'members'>,
  options: ColumnOptions,
  file: string,
): LineColumns | undefined {
  const columns = outputColumns({ names: members }, options, file);
  if (columns === undefined) return undefined;
  const kept = columns.kept ?? members.map((_, index) => index);
  return { ...columns, names: kept.map(index => members[index] ?? '') };
}
