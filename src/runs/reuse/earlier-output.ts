import type { CopiedRows } from '../../scoring/reuse/copied-rows.ts';
import { adds, KeyTable, todo } from '../../scoring/reuse/key-table.ts';
import { KEY_WORDS, type RowsByKey } from '../../scoring/reuse/row-keys.ts';
import { type EarlierRows, startIn } from './earlier-rows.ts';
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
  readonly #window: Window;
  #table: HashedRows | undefined;
  #rows: AsyncGenerator<EarlierRows> | undefined;
  #batch: EarlierRows | undefined;
  /** The first row of the batch that is not in the window. */
  #at = 0;
  #isEnded = false;
  /** How far the rows of the output are behind those of the input: number minus number. */
  #shift = 0;
  /** Rows of the input since the last ones that were found near their place. */
  #lost = 0;

  constructor(options: EarlierOutputOptions) {
    const { windowRows = WINDOW_ROWS } = options;
    this.#options = options;
    this.#half = windowRows >> 1;
    this.#window = new Window(windowRows);
  }

  async find(rows: RowsByKey, into: CopiedRows): Promise<void> {
    if (this.#rows === undefined) await this.#begin(rows, into);
    else if (this.#table === undefined) await this.#findNear(rows, into);
    else this.#table.find(rows, into);
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
      await this.#readTo(Math.max(this.#window.last, skipped) + 2 * this.#half);
      share = this.#lookNear(rows, into);
    } while (share < LEAST_SHARE && !this.#isEnded && this.#window.last < before + around);
    const isWhole = this.#isEnded && skipped === 0;
    if (isWhole || share >= LEAST_SHARE) {
      onOrder('same order');
      await this.#moveOn(rows, share);
      return;
    }
    if (skipped > 0 || this.#window.last > 2 * this.#half) {
      await this.#rows.return(undefined);
      this.#batch = undefined;
      this.#at = 0;
      this.#isEnded = false;
      this.#window.takeAll();
      this.#rows = await open(0);
    }
    (await this.#readAll()).find(rows, into);
  }

  async #findNear(rows: RowsByKey, into: CopiedRows): Promise<void> {
    const share = this.#lookNear(rows, into);
    if (this.#lost > this.#half && !this.#isEnded && share < LEAST_SHARE)
      (await this.#readAll()).find(rows, into);
    else await this.#moveOn(rows, share);
  }

  /** Looks in the window. @returns the share of rows that were found near their place */
  #lookNear({ keys, rows, firstRow, without }: RowsByKey, into: CopiedRows): number {
    const shifts: number[] = [];
    let others = 0;
    let plan: Int32Array | undefined;
    if (into.known > 0 || without.size > 0) {
      plan = new Int32Array(rows);
      for (let row = 0; row < rows; row++)
        if (into.has(row) || without.has(row)) {
          plan[row] = todo.nothing;
          others++;
        }
    }
    const { found, entries } = this.#window.find(keys, rows, plan);
    for (let row = 0; row < rows && found > 0; row++) {
      const entry = entries[row] as number;
      if (entry === -1) continue;
      const { position, isRepeated } = this.#window.copyTo(into, row, entry);
      // Rows that occur more than once tell nothing about their place.
      if (isRepeated) others++;
      else shifts.push(position - firstRow - row);
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
    while (this.#window.last < last && (await this.#load())) {
      const batch = this.#batch as EarlierRows;
      const to = Math.min(batch.rows, last - batch.firstRow + 1);
      this.#window.add(batch, this.#at, Math.max(to, this.#at + 1));
      this.#at = Math.max(to, this.#at + 1);
    }
  }

  /** Reads all the rest into a table. */
  async #readAll(): Promise<HashedRows> {
    const table = new HashedRows(this.#options.maxBytes);
    this.#table = table;
    this.#options.onOrder('any order');
    for (const rows of this.#window.takeAll()) table.add(rows);
    for (; await this.#load(); this.#at = Number.POSITIVE_INFINITY)
      table.add(this.#batch as EarlierRows, this.#at);
    table.end();
    return table;
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

/** Copies of rows that were read. */
interface WindowRows extends EarlierRows {
  /** The number of the entry that the first one took. */
  readonly entry: number;
  /** Whether the key of each row was there before; undefined if none was. */
  readonly repeated: readonly boolean[] | undefined;
}

/** The last rows that were read. Each has an entry of the table, those that were rejected too. */
class Window {
  readonly #table: KeyTable;
  readonly #size: number;
  #batches: WindowRows[] = [];
  #bytes = 0;
  /** How many entries were taken. */
  #taken = 0;
  /** The number of the last row. */
  last = 0;

  constructor(rows: number) {
    this.#size = rows;
    this.#table = new KeyTable(rows);
  }

  /** Adds rows `[from, to)`; the last ones with a key are found. */
  add({ keys, bytes, ends, firstRow }: EarlierRows, from: number, to: number): void {
    const start = startIn(ends, from);
    const rows = to - from;
    const own = {
      rows,
      firstRow: firstRow + from,
      entry: this.#taken,
      keys: keys.slice(from * KEY_WORDS, to * KEY_WORDS),
      bytes: aligned(bytes.subarray(start, ends[to - 1])),
      ends: ends.slice(from, to).map(end => end - start),
    };
    const plan = own.ends.map((end, row) => (end === startIn(own.ends, row) ? todo.takeEntry : todo.find));
    const { found, entries } = this.#table.find(own.keys, rows, adds.all, this.#kept, plan);
    const repeated = found === 0 ? undefined : Array.from(entries, entry => entry !== -1);
    this.#batches.push({ ...own, repeated });
    this.#taken += rows;
    this.last = firstRow + to - 1;
    this.#bytes += own.bytes.length;
    for (
      let oldest = this.#batches[0];
      oldest !== undefined && this.#isOld(oldest);
      oldest = this.#batches[0]
    ) {
      this.#batches.shift();
      this.#bytes -= oldest.bytes.length;
    }
  }

  /** As `KeyTable.find`. */
  find(keys: Int32Array, rows: number, plan: Int32Array | undefined): ReturnType<KeyTable['find']> {
    return this.#table.find(keys, rows, adds.none, this.#kept, plan);
  }

  /** Copies what was appended to the row with an entry. @returns the number of that row */
  copyTo(into: CopiedRows, row: number, entry: number): { position: number; isRepeated: boolean } {
    const size = this.#size;
    const number = this.#taken - 1 - ((this.#taken - 1 - entry + size) % size);
    const batch = this.#batches.findLast(each => each.entry <= number) as WindowRows; // only those are found
    const own = number - batch.entry;
    into.add(row, batch.bytes, startIn(batch.ends, own), batch.ends[own] as number);
    return { position: batch.firstRow + own, isRepeated: batch.repeated?.[own] === true };
  }

  /** Gives all rows away. */
  takeAll(): readonly EarlierRows[] {
    const batches = this.#batches;
    this.#batches = [];
    return batches;
  }

  /** How many of the last entries are found. */
  get #kept(): number {
    return this.#taken - (this.#batches[0]?.entry ?? this.#taken);
  }

  #isOld({ entry, rows }: WindowRows): boolean {
    return (
      entry + rows <= this.#taken - this.#size || (this.#bytes > WINDOW_BYTES && this.#batches.length > 1)
    );
  }
}

/** A copy that begins and ends at whole words. */
const aligned = (bytes: Buffer): Buffer => {
  const copy = Buffer.from(new ArrayBuffer((bytes.length + 3) & ~3));
  bytes.copy(copy);
  return copy;
};
