import type { CopiedRows } from './copied-rows.ts';
import { adds, KeyTable, todo } from './key-table.ts';
import type { Results } from './results.ts';
import type { RowsByKey } from './row-keys.ts';

/** The most rows of the table, of which each takes 26 bytes, and the most memory of their results: 46 MiB in all. */
const ROWS = 900_000;
export const EQUAL_RESULT_BYTES = 24 << 20;

/** Finds rows that are equal to one which is sent before them, among the last ones. */
export class EqualRows {
  /** Each row that is sent takes an entry, so that those are its numbers, modulo the size. */
  readonly #table: KeyTable;
  readonly #maxRows: number;
  readonly #results: Pick<Results, 'keptFrom'>;

  constructor(results: Pick<Results, 'keptFrom'>, maxRows = ROWS) {
    this.#table = new KeyTable(maxRows);
    this.#maxRows = maxRows;
    this.#results = results;
  }

  /** @param first the number of the result of the first row that is sent */
  find({ keys, rows, without }: RowsByKey, first: number, into: CopiedRows): void {
    let plan: Int32Array | undefined;
    if (into.known > 0 || without.size > 0) {
      plan = new Int32Array(rows);
      for (let row = 0; row < rows; row++)
        if (into.has(row) || without.has(row)) plan[row] = into.isSent(row) ? todo.takeEntry : todo.nothing;
    }
    const size = this.#maxRows;
    const kept = first - this.#results.keptFrom;
    const { found, entries } = this.#table.find(keys, rows, adds.missing, kept, plan);
    if (found === 0) return;
    let next = first;
    for (let row = 0; row < rows; row++) {
      const entry = entries[row] as number;
      // The last result that has this entry.
      if (entry !== -1) into.setEqual(row, next - 1 - ((next - 1 - entry + size) % size));
      else if (into.isSent(row)) next++;
    }
  }

  /** The number of the first result that rows to come may get. @param next number of a result */
  keptFrom(next: number): number {
    return Math.max(this.#results.keptFrom, next - this.#maxRows);
  }
}
