import type { CopiedRows } from '../../scoring/reuse/copied-rows.ts';
import type { RowsByKey } from '../../scoring/reuse/row-keys.ts';
import { RowTable } from '../../scoring/reuse/row-table.ts';
import type { EarlierRows } from './earlier-rows.ts';
import { HashedRows } from './hashed-rows.ts';

/** How the rows of an earlier output are found: near the same place, or anywhere. */
export type RowOrder = 'same order' | 'any order';

interface EarlierOutputOptions {
  /**
   * Opens the earlier output.
   *
   * @param skipped rows at its beginning that are passed over
   */
  open(skipped: number): Promise<AsyncGenerator<EarlierRows>>;
  /** Most memory for rows in any order. */
  maxBytes: number;
  /** Rows of the window; half of them are ahead. */
  windowRows?: number;
  /** Called when it is known how rows are found. */
  onOrder(order: RowOrder): void;
}

/** Enough for thousands of rows that were inserted or deleted in one place. */
const WINDOW_ROWS = 1 << 16;
/** The most that is kept of the rows of the window. */
const WINDOW_BYTES = 24 << 20;
/** The most by which rows in the middle of a file have moved, of the rows before them. */
const MOST_MOVED = 1 / 16;
/** With fewer rows found among the first ones, or among half a window, the files are not in the same order. */
const LEAST_SHARE = 0.5;

/**
 * The rows of an earlier output, found for those of an input that come one after the other. Where both are in the same
 * order, a window of rows moves along; once rows are not found in it, all others of the output go into a table.
 */
export class EarlierOutput {
  readonly #options: EarlierOutputOptions;
  readonly #half: number;
  readonly #window: RowTable;
  #table: HashedRows | undefined;
  #rows: AsyncGenerator<EarlierRows> | undefined;
  #batch: EarlierRows | undefined;
  #at = 0;
  /** The number of the last row that was read. */
  #read = 0;
  #isEnded = false;
  /** How far the rows of the output are behind those of the input: number minus number. */
  #shift = 0;
  /** Rows of the input since the last ones that were found near their place. */
  #lost = 0;

  constructor(options: EarlierOutputOptions) {
    const { windowRows = WINDOW_ROWS } = options;
    this.#options = options;
    this.#half = windowRows >> 1;
    this.#window = new RowTable(windowRows, WINDOW_BYTES);
  }

  async find(rows: RowsByKey, into: CopiedRows): Promise<void> {
    if (this.#rows === undefined) await this.#begin(rows, into);
    else if (this.#table === undefined) await this.#findNear(rows, into);
    else this.#findAnywhere(rows, into);
  }

  async close(): Promise<void> {
    await this.#rows?.return(undefined);
    this.#table?.close();
  }

  async #begin(rows: RowsByKey, into: CopiedRows): Promise<void> {
    const { open, onOrder } = this.#options;
    const before = rows.firstRow - 1;
    // In the middle, rows may have been inserted and deleted before it.
    const around = this.#half + Math.floor(before * MOST_MOVED);
    const skipped = Math.max(0, before - around);
    this.#rows = await open(skipped);
    let share = 0;
    do {
      await this.#readTo(Math.max(this.#read, skipped) + 2 * this.#half);
      share = this.#lookNear(rows, into);
    } while (share < LEAST_SHARE && !this.#isEnded && this.#read < before + around);
    const isWhole = this.#isEnded && skipped === 0;
    if (isWhole || share >= LEAST_SHARE) {
      onOrder('same order');
      await this.#moveOn(rows, share);
      return;
    }
    if (skipped > 0) {
      await this.#rows.return(undefined);
      this.#batch = undefined;
      this.#isEnded = false;
      this.#rows = await open(0);
    }
    await this.#readAll();
    this.#findAnywhere(rows, into);
  }

  async #findNear(rows: RowsByKey, into: CopiedRows): Promise<void> {
    const share = this.#lookNear(rows, into);
    if (this.#lost > this.#half && !this.#isEnded && share < LEAST_SHARE) {
      await this.#readAll();
      this.#findAnywhere(rows, into);
    } else await this.#moveOn(rows, share);
  }

  /** Looks in the window. @returns the share of rows that were found near their place */
  #lookNear({ keys, rows, firstRow, without }: RowsByKey, into: CopiedRows): number {
    const shifts: number[] = [];
    let others = 0;
    for (let row = 0; row < rows; row++) {
      if (into.has(row) || without.has(row)) {
        others++;
        continue;
      }
      const slot = this.#window.find(keys, row);
      if (slot === -1) continue;
      this.#window.copyTo(into, row, slot);
      // Rows that occur more than once tell nothing about their place.
      if (this.#window.isRepeated(slot)) others++;
      else shifts.push(this.#window.positionOf(slot) - firstRow - row);
    }
    if (shifts.length === 0) return rows === 0 ? 1 : others / rows;
    // Most of them agree, so that a row which was moved does not move the window.
    shifts.sort((a, b) => a - b);
    const shift = shifts[shifts.length >> 1] as number;
    const near = shifts.filter(each => Math.abs(each - shift) <= this.#half >> 1).length;
    this.#shift = shift;
    return (near + others) / rows;
  }

  /** Reads as far as the rows that come next need it; not on and on while rows are new. */
  async #moveOn({ rows, firstRow }: RowsByKey, share: number): Promise<void> {
    this.#lost = share < LEAST_SHARE ? this.#lost + rows : 0;
    if (this.#lost > this.#half >> 1) return;
    await this.#readTo(firstRow + rows + this.#shift + this.#half);
  }

  /** Reads into the window up to the row with a number. */
  async #readTo(last: number): Promise<void> {
    while (this.#read < last && (await this.#load())) {
      const { keys, bytes, starts, ends, firstRow } = this.#batch as EarlierRows;
      const at = this.#at++;
      this.#read = firstRow + at;
      const start = starts[at] as number;
      if (start !== -1) this.#window.add(keys, at, bytes, start, ends[at] as number, this.#read);
    }
  }

  /** Reads all the rest into a table. */
  async #readAll(): Promise<void> {
    const table = new HashedRows(this.#options.maxBytes);
    this.#options.onOrder('any order');
    while (await this.#load()) {
      const { rows, keys, bytes, starts, ends } = this.#batch as EarlierRows;
      for (; this.#at < rows; this.#at++) {
        const start = starts[this.#at] as number;
        if (start !== -1) table.add(keys, this.#at, bytes, start, ends[this.#at] as number);
      }
    }
    table.end();
    this.#table = table;
  }

  #findAnywhere({ keys, rows, without }: RowsByKey, into: CopiedRows): void {
    for (let row = 0; row < rows; row++) {
      if (into.has(row) || without.has(row)) continue;
      const slot = this.#window.find(keys, row);
      if (slot === -1) this.#table?.find(keys, row, into);
      else this.#window.copyTo(into, row, slot);
    }
  }

  /** Whether there is a next row. */
  async #load(): Promise<boolean> {
    while (!this.#isEnded && this.#at >= (this.#batch?.rows ?? 0)) {
      const next = await this.#rows?.next();
      this.#at = 0;
      this.#batch = next?.value ?? undefined;
      this.#isEnded = next?.done !== false;
    }
    return !this.#isEnded;
  }
}
