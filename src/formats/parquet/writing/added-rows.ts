import type { FileColumn } from '../footer/file-column.ts';
import type { ParquetFile } from '../footer/parquet-file.ts';
import { changedColumn } from './changed-column.ts';

/** Places for rows that a file does not have: each goes into the group of the row that it comes before, or into the last one. */
export class AddedRows {
  /** The number of the last row of each group, with the rows that were added so far; nothing is after the last group. */
  readonly ends: number[];
  /** The number of the last row of each group as it is in the file, without added rows. */
  readonly #formerEnds: readonly number[];
  readonly #empty: Buffer | undefined;

  /** @param columns those that are written again */
  constructor({ groups, columns: all }: ParquetFile, columns: readonly FileColumn[]) {
    this.#formerEnds = groups.map(({ before, rows }) => before + rows);
    this.ends = [...this.#formerEnds.slice(0, -1), Number.POSITIVE_INFINITY];
    const areWritten = all.every(column => columns.includes(column) && changedColumn(column) !== undefined);
    this.#empty = areWritten && groups.length > 0 ? Buffer.alloc(columns.length - 1, ',') : undefined;
  }

  /**
   * Makes room for a row.
   *
   * @param after the number of rows of the file before it
   * @returns a row without values; undefined if rows cannot be added: the file has no group, or columns that are only copied
   */
  add(after: number): Buffer | undefined {
    if (this.#empty === undefined) return undefined;
    for (let group = this.ends.length - 2; group >= 0 && (this.#formerEnds[group] ?? 0) > after; group--)
      this.ends[group] = (this.ends[group] ?? 0) + 1;
    return this.#empty;
  }
}
