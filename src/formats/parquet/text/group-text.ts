import type { RecordParts } from './text-kind.ts';
import type { TextPage } from './text-page.ts';

/** A chunk of text has at least this many bytes, but for the last one of a group. */
const CHUNK_BYTES = 128 << 10;

/** Writes the columns of groups as records of a text. In a CSV of a single column, an empty line is a row. */
export class GroupText {
  readonly #parts: RecordParts;
  #chunk: Buffer = Buffer.allocUnsafeSlow(2 * CHUNK_BYTES);

  constructor(parts: RecordParts) {
    this.#parts = parts;
  }

  /**
   * Writes a group.
   *
   * @param columns the pages of each, with as many rows as the group
   * @returns chunks that are valid until the next one is requested
   */
  *write(rows: number, columns: readonly (readonly TextPage[])[]): Generator<Buffer> {
    let at = 0;
    const cursors = columns.map(pages => new PageCursor(pages));
    for (let from = 0; from < rows; ) {
      // No column has another page before this row.
      const to = Math.min(rows, ...cursors.map(cursor => cursor.moveTo(from)));
      const pages = cursors.map(({ page }) => page);
      const starts = cursors.map(({ start }) => start);
      for (let row = from; row < to; row++) {
        at = this.#writeRow(row, pages, starts, at);
        if (at < CHUNK_BYTES) continue;
        yield this.#chunk.subarray(0, at);
        at = 0;
      }
      from = to;
    }
    if (at > 0) yield this.#chunk.subarray(0, at);
  }

  /** @param firstRows of the pages */
  #writeRow(row: number, pages: readonly TextPage[], firstRows: readonly number[], start: number): number {
    let chunk: Buffer = this.#chunk;
    let at = start;
    const { opens, missing, close } = this.#parts;
    for (let column = 0; column < pages.length; column++) {
      const { codes, bytes: cells, starts, ends } = pages[column] as TextPage;
      const index = row - (firstRows[column] as number);
      const code = codes === undefined ? index : (codes[index] as number);
      const bytes = code < 0 ? missing : cells;
      const from = code < 0 ? 0 : (starts[code] as number);
      const to = code < 0 ? missing.length : (ends[code] as number);
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

const NONE: TextPage = {
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
  page = NONE;
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
