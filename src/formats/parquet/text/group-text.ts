import type { TextPage } from './text-page.ts';

const [COMMA = 0, LF = 0] = Buffer.from(',\n');
/** A chunk of text has at least this many bytes, but for the last one of a group. */
const CHUNK_BYTES = 128 << 10;

/** Writes the columns of groups as records of a CSV. In that of a single column, an empty line is a row. */
export class GroupText {
  #chunk: Buffer = Buffer.allocUnsafeSlow(2 * CHUNK_BYTES);

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
    for (let column = 0; column < pages.length; column++) {
      const { codes, bytes, starts, ends } = pages[column] as TextPage;
      const index = row - (firstRows[column] as number);
      const code = codes === undefined ? index : (codes[index] as number);
      const from = code < 0 ? 0 : (starts[code] as number);
      const to = code < 0 ? 0 : (ends[code] as number);
      // Also for a delimiter, and for what ends the record.
      if (at + to - from + 4 > chunk.length) chunk = this.#enlarge(at, to - from + 4);
      if (column > 0) chunk[at++] = COMMA;
      // Most cells are shorter than what a call of `set` costs.
      if (to - from > 32) {
        chunk.set(bytes.subarray(from, to), at);
        at += to - from;
      } else for (let byte = from; byte < to; byte++) chunk[at++] = bytes[byte] as number;
    }
    chunk[at++] = LF;
    return at;
  }

  #enlarge(used: number, more: number): Buffer {
    const larger = Buffer.allocUnsafeSlow(2 * (used + more));
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
