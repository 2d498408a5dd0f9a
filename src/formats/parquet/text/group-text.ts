import type { BatchMemory } from '../../../base/kernel/batch-memory.ts';
import { KernelCells } from './kernel-cells.ts';
import { type CellPage, cellPage, type RecordParts, type TextPage } from './text-page.ts';

/** What TypeScript writes is yielded when it has as many bytes, or all rows of the pages. */
const CHUNK_BYTES = 128 << 10;

/** Writes the columns of groups as records of a text. In a CSV of a single column, an empty line is a row. */
export class GroupText {
  readonly #parts: RecordParts;
  readonly #kernel: KernelCells | undefined;
  #chunk: Buffer = Buffer.alloc(0);
  /** Pages of the group that TypeScript has written. */
  #cellPages = new WeakMap<TextPage, CellPage>();

  /** @param memory of a kernel, which writes most rows; TypeScript writes all others */
  constructor(parts: RecordParts, memory: BatchMemory | undefined) {
    this.#parts = parts;
    this.#kernel = memory && new KernelCells(memory, parts);
  }

  /** Begins a group. */
  begin(): void {
    this.#kernel?.begin();
    this.#cellPages = new WeakMap();
  }

  /**
   * Takes the next page of the group.
   *
   * @returns what is written of it
   * @throws RangeError if a value is not in its dictionary, or the page is cut off
   */
  accept(page: TextPage): TextPage {
    return this.#kernel?.keep(page) === true ? page : cellPage(page);
  }

  /**
   * Writes the group.
   *
   * @param columns the accepted pages of each, with as many rows as the group
   * @returns chunks that are valid until the next one is requested
   */
  *write(rows: number, columns: readonly (readonly TextPage[])[]): Generator<Buffer> {
    const cursors = columns.map(pages => new PageCursor(pages));
    for (let from = 0; from < rows; ) {
      // No column has another page before this row.
      const to = Math.min(rows, ...cursors.map(cursor => cursor.moveTo(from)));
      const pages = cursors.map(({ page }) => page);
      const starts = cursors.map(({ start }) => start);
      for (let row = from; row < to; ) {
        const written = this.#kernel?.write(pages, starts, [row, to]);
        if (written !== undefined) {
          yield written.bytes;
          row = written.next;
          continue;
        }
        const cells = pages.map(page => this.#cellsOf(page));
        let at = 0;
        while (row < to && at < CHUNK_BYTES) at = this.#writeRow(row++, cells, starts, at);
        yield this.#chunk.subarray(0, at);
      }
      from = to;
    }
  }

  #cellsOf(page: TextPage): CellPage {
    const known = this.#cellPages.get(page);
    if (known !== undefined) return known;
    const cells = cellPage(page);
    this.#cellPages.set(page, cells);
    return cells;
  }

  /** @param firstRows of the pages */
  #writeRow(row: number, pages: readonly CellPage[], firstRows: readonly number[], start: number): number {
    let chunk = this.#chunk;
    let at = start;
    const { opens, missing, close } = this.#parts;
    for (let column = 0; column < pages.length; column++) {
      const { codes, bytes: cells, starts, ends } = pages[column] as CellPage;
      const index = row - (firstRows[column] as number);
      const code = codes === undefined ? index : (codes[index] as number);
      const isMissing = code < 0 || (starts[code] as number) < 0;
      const bytes = isMissing ? missing : cells;
      const from = isMissing ? 0 : (starts[code] as number);
      const to = isMissing ? missing.length : (ends[code] as number);
      const open = opens[column] as Uint8Array;
      const most = at + open.length + to - from + close.length;
      if (most > chunk.length) chunk = this.#enlarge(at, most);
      for (let byte = 0; byte < open.length; byte++) chunk[at++] = open[byte] as number;
      // Most cells are shorter than what a call of `set` costs.
      if (to - from > 32) {
        chunk.set(bytes.subarray(from, to), at);
        at += to - from;
      } else for (let byte = from; byte < to; byte++) chunk[at++] = bytes[byte] as number;
    }
    for (let byte = 0; byte < close.length; byte++) chunk[at++] = close[byte] as number;
    return at;
  }

  #enlarge(used: number, wanted: number): Buffer {
    const larger = Buffer.allocUnsafeSlow(2 * wanted);
    this.#chunk.copy(larger, 0, 0, used);
    this.#chunk = larger;
    return larger;
  }
}

const NONE: CellPage = {
  is: 'cells',
  rows: 0,
  codes: undefined,
  bytes: new Uint8Array(),
  starts: new Int32Array(),
  ends: new Int32Array(),
};

/** The pages of a column, one after the other. */
class PageCursor {
  readonly #pages: readonly TextPage[];
  #index = -1;
  page: TextPage = NONE;
  /** The first row of the page. */
  start = 0;

  constructor(pages: readonly TextPage[]) {
    this.#pages = pages;
  }

  /** Moves to the page with a row, which is not before the last one. @returns the row after the page */
  moveTo(row: number): number {
    while (row >= this.start + this.page.rows) {
      this.start += this.page.rows;
      const next = this.#pages[++this.#index];
      if (next === undefined) throw new Error('a column does not have all rows');
      this.page = next;
    }
    return this.start + this.page.rows;
  }
}
