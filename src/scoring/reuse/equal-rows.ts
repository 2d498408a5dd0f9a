import type { CopiedRows } from './copied-rows.ts';
import type { Results } from './results.ts';
import type { RowsByKey } from './row-keys.ts';
import { RowTable } from './row-table.ts';

/** The most rows of the table, of which each takes 46 bytes, and the most memory of their results: 64 MiB in all. */
const ROWS = 900_000;
export const EQUAL_RESULT_BYTES = 24 << 20;

const NO_BYTES = Buffer.alloc(0);

/** Finds rows that are equal to one which is sent before them, among the last ones. */
export class EqualRows {
  readonly #table: RowTable;
  readonly #maxRows: number;
  readonly #results: Pick<Results, 'keptFrom'>;

  constructor(results: Pick<Results, 'keptFrom'>, maxRows = ROWS) {
    this.#table = new RowTable(maxRows, 0);
    this.#maxRows = maxRows;
    this.#results = results;
  }

  /** @param first the number of the result of the first row that is sent */
  find({ keys, rows, without }: RowsByKey, first: number, into: CopiedRows): void {
    const table = this.#table;
    const { keptFrom } = this.#results;
    let next = first;
    for (let row = 0; row < rows; row++) {
      if ((into.known > 0 && into.has(row)) || (without.size > 0 && without.has(row))) {
        if (into.isSent(row)) next++;
        continue;
      }
      const slot = table.find(keys, row);
      const result = slot === -1 ? -1 : table.positionOf(slot);
      if (result >= keptFrom && result >= next - this.#maxRows && result >= 0) into.setEqual(row, result);
      else table.add(keys, row, NO_BYTES, 0, 0, next++);
    }
  }

  /** The number of the first result that rows to come may get. @param next number of a result */
  keptFrom(next: number): number {
    return Math.max(this.#results.keptFrom, next - this.#maxRows);
  }
}
