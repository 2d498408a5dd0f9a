import type { Piece } from '../format.ts';
import type { InputRange } from '../records/position.ts';
import type { RowGroup } from './footer/chunk-table.ts';
import type { FileColumn } from './footer/file-column.ts';
import { type ParquetFile, rangesOf } from './footer/parquet-file.ts';

/**
 * More bytes than the text of a group has. A shard does not know how much text the groups before its own make, so the text of
 * each group that a shard begins with is taken to begin at a multiple of this.
 */
const TEXT_BYTES = 2 ** 36;

/** The groups of a file as pieces of an input, and the end of the last one. No page is read. */
export function piecesOf({
  columns,
  groups,
  rows,
}: Pick<ParquetFile, 'columns' | 'groups' | 'rows'>): readonly Piece[] {
  const at = (group: number, before: number) => ({
    offset: group * TEXT_BYTES,
    row: before + 1,
    line: before + 1,
  });
  return [
    ...groups.map((group, index) => ({ start: at(index, group.before), bytes: storedBytes(group, columns) })),
    { start: at(groups.length, rows), bytes: 0 },
  ];
}

/** The groups of a range. */
export const groupsIn = <T>(groups: readonly T[], { start, end }: InputRange): readonly T[] =>
  groups.slice(start.offset / TEXT_BYTES, end === undefined ? undefined : end / TEXT_BYTES);

const storedBytes = (group: RowGroup, columns: readonly FileColumn[]): number =>
  columns.flatMap(column => rangesOf(group, column)).reduce((bytes, { from, to }) => bytes + to - from, 0);
