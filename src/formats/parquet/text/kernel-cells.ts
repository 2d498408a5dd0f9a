import type { BatchMemory } from '../../../base/kernel/batch-memory.ts';
import type { CellPage, CodedPage, DoublePage, PageCells, RecordParts, TextPage } from './text-page.ts';
import { doubleText } from './value-text.ts';

/** Rows whose cells are found at once, at most, and at least: fewer of many columns, for which there is memory. */
const [MAX_BLOCK_ROWS, MIN_BLOCK_ROWS] = [1024, 16];
/** A record is not longer, but for those that TypeScript writes. */
const OUT_BYTES = 256 << 10;
/** Memory for the dictionaries and codes of a group, and for the cells of a block. */
const [MAX_KEPT_BYTES, MAX_BLOCK_BYTES] = [64 << 20, 4 << 20];
/**
 * `Column` in assembly/write-cells.ts, `Codes` in assembly/read-codes.ts, and the slot of a text in
 * assembly/write-doubles.ts.
 */
const [COLUMN_BYTES, CODES_BYTES, SLOT_BYTES] = [24, 28, 32];
/** For each row of a block and each column: the offsets of a cell, or a code; and a double. */
const CELL_BYTES = 16;
/** As many bytes may be read behind a text. */
const MARGIN = 16;

/** Where cells are in the memory. */
interface KeptCells {
  readonly bytes: number;
  readonly starts: number;
  readonly ends: number;
}

/** Which rows of a page are loaded, and where. */
interface Loaded {
  /** The index of the column. */
  readonly column: number;
  readonly first: number;
  readonly rows: number;
  /** Addresses of the cells of the rows: where they begin and end, and where doubles are. */
  readonly starts: number;
  readonly ends: number;
  readonly values: number;
  /** The address for texts that are not in a dictionary. */
  readonly texts: number;
}

/** Writes rows of pages as records in WebAssembly, as `GroupText` does in TypeScript. */
export class KernelCells {
  readonly #memory: BatchMemory;
  readonly #parts: RecordParts;
  readonly #opens: readonly number[];
  readonly #blockRows: number;
  readonly #missing: number;
  readonly #close: number;
  /** Where the cells of the group's dictionaries are, by their `starts`. */
  #cells = new Map<Int32Array, KeptCells>();
  /** Where the codes of the group's pages are in the memory, and how many were read. */
  #codes = new Map<TextPage, { readonly state: number; read: number }>();
  #keptBytes = 0;
  #columns = 0;
  #out = 0;
  #recordEnds = 0;
  #block = 0;
  /** The cells of the block that are not in a dictionary. */
  #texts = 0;
  #textBytes = 0;
  /** The rows of the block. */
  #from = 0;
  #to = 0;
  #views = viewsOf(new ArrayBuffer(0));

  constructor(memory: BatchMemory, parts: RecordParts) {
    this.#memory = memory;
    const rows = Math.floor(MAX_BLOCK_BYTES / (SLOT_BYTES * parts.opens.length));
    this.#blockRows = Math.max(MIN_BLOCK_ROWS, Math.min(MAX_BLOCK_ROWS, rows));
    this.#parts = parts;
    const keep = (text: Uint8Array): number => memory.keep(Buffer.concat([text, Buffer.alloc(MARGIN)]));
    this.#opens = parts.opens.map(keep);
    this.#missing = keep(parts.missing);
    this.#close = keep(parts.close);
  }

  /** Begins a group. */
  begin(): void {
    const width = this.#opens.length;
    const memory = this.#memory;
    memory.clear();
    this.#cells = new Map();
    this.#codes = new Map();
    this.#keptBytes = 0;
    this.#columns = memory.reserve(COLUMN_BYTES * width);
    this.#out = memory.reserve(OUT_BYTES);
    this.#recordEnds = memory.reserve(4 * this.#blockRows);
    this.#block = memory.reserve(CELL_BYTES * this.#blockRows * width);
    this.#textBytes = 0;
    this.#from = 0;
    this.#to = 0;
  }

  /**
   * Keeps what is needed of a page of the group. @returns whether the page is not damaged, and there is memory for it
   */
  keep(page: TextPage): boolean {
    if (page.is === 'doubles') return true;
    if (page.is === 'cells') return page.codes === undefined || this.#keepCells(page);
    return this.#keepCells(page.dictionary) && this.#keepCodes(page);
  }

  /**
   * Writes rows `[from, to)` of kept pages, or the first ones of them.
   *
   * @param firstRows of the pages
   * @returns their records, which are valid until more are written, and the row after them; undefined if TypeScript has
   *   to write the next row, because it is too long, or there is no memory for it
   */
  write(
    pages: readonly TextPage[],
    firstRows: readonly number[],
    [from, to]: readonly [from: number, to: number],
  ): { bytes: Buffer; next: number } | undefined {
    if (from >= this.#to) {
      const parts = pages.map((page, column) => ({ page, first: from - (firstRows[column] as number) }));
      const rows = Math.min(this.#blockRows, to - from);
      if (!this.#load(parts, rows)) return undefined;
      this.#from = from;
      this.#to = from + rows;
    }
    const { missing, close } = this.#parts;
    const first = from - this.#from;
    const next = this.#memory.kernel.writeCells(
      this.#columns,
      pages.length,
      first,
      this.#to - this.#from,
      this.#missing,
      missing.length,
      this.#close,
      close.length,
      this.#out,
      this.#out + OUT_BYTES,
      this.#recordEnds,
    );
    if (next === first) return undefined;
    const length = this.#view.words[(this.#recordEnds >> 2) + next - first - 1];
    return { bytes: Buffer.from(this.#memory.buffer, this.#out, length), next: this.#from + next };
  }

  /**
   * Finds the cells of a block.
   *
   * @param parts pages, and their first rows that are written
   * @returns whether there is memory for it, and everything was kept
   */
  #load(parts: readonly { page: TextPage; first: number }[], rows: number): boolean {
    let needed = 0;
    for (const { page, first } of parts) {
      if (page.is === 'cells' && page.codes === undefined) needed += spanOf(page, first, rows).size + MARGIN;
      else if (page.is === 'doubles') needed += SLOT_BYTES * rows + MARGIN;
      else if (page.is === 'coded' && !this.#codes.has(page)) return false;
      else if (page.is === 'cells' && !this.#cells.has(page.starts))
        needed += gatheredSize(page, first, rows) + MARGIN;
    }
    if (needed > MAX_BLOCK_BYTES) return false;
    if (needed > this.#textBytes) {
      this.#textBytes = 2 * needed;
      this.#texts = this.#memory.reserve(this.#textBytes);
    }
    let texts = this.#texts;
    for (const [column, { page, first }] of parts.entries()) {
      const starts = this.#block + CELL_BYTES * this.#blockRows * column;
      const [ends, values] = [starts + 4 * this.#blockRows, starts + 8 * this.#blockRows];
      const loaded = { column, first, rows, starts, ends, values, texts };
      if (page.is === 'coded') this.#loadCoded(page, loaded);
      else texts = page.is === 'doubles' ? this.#loadDoubles(page, loaded) : this.#loadCells(page, loaded);
    }
    return true;
  }

  #loadCoded(page: CodedPage, { column, first, rows, starts }: Loaded): void {
    const codes = this.#codes.get(page);
    const cells = this.#cells.get(page.dictionary.starts);
    if (codes === undefined || cells === undefined) throw new Error('a page was not kept');
    const { kernel } = this.#memory;
    const limit = page.dictionary.starts.length;
    // Rows that TypeScript has written.
    kernel.readCodes(codes.state, first - codes.read, 0, limit);
    kernel.readCodes(codes.state, rows, starts, limit);
    codes.read = first + rows;
    this.#setColumn(column, starts, cells);
  }

  /** @returns the address after the texts */
  #loadDoubles(page: DoublePage, { column, first, rows, starts, ends, values, texts }: Loaded): number {
    const { kernel } = this.#memory;
    const { bytes, words } = this.#view;
    bytes.set(page.bytes.subarray(8 * first, 8 * (first + rows)), values);
    let row = 0;
    for (;;) {
      row = kernel.writeDoubles(values, row, rows, texts, starts, ends);
      if (row === rows) break;
      const text = doubleText(page.bytes.readDoubleLE(8 * (first + row)));
      const start = SLOT_BYTES * row;
      for (let index = 0; index < text.length; index++) bytes[texts + start + index] = text.charCodeAt(index);
      words[(starts >> 2) + row] = start;
      words[(ends >> 2) + row] = start + text.length;
      row++;
    }
    this.#setColumn(column, 0, { bytes: texts, starts, ends });
    return texts + SLOT_BYTES * rows + MARGIN;
  }

  /** @returns the address after the texts */
  #loadCells(page: CellPage, loaded: Loaded): number {
    const { column, first, rows, starts, ends, texts } = loaded;
    const { bytes, words } = this.#view;
    if (page.codes !== undefined) {
      const cells = this.#cells.get(page.starts);
      if (cells === undefined) return this.#gatherCells(page, loaded);
      words.set(page.codes.subarray(first, first + rows), starts >> 2);
      this.#setColumn(column, starts, cells);
      return texts;
    }
    const { start, size } = spanOf(page, first, rows);
    bytes.set(page.bytes.subarray(start, start + size), texts);
    words.set(page.starts.subarray(first, first + rows), starts >> 2);
    words.set(page.ends.subarray(first, first + rows), ends >> 2);
    // An address, modulo 2^32, to which the offset of a cell is added.
    this.#setColumn(column, 0, { bytes: texts - start, starts, ends });
    return texts + size + MARGIN;
  }

  /**
   * Copies the cells of a dictionary for which there was no memory, each as often as it occurs. @returns the address
   * after the texts
   */
  #gatherCells(page: CellPage, { column, first, rows, starts, ends, texts }: Loaded): number {
    const { bytes, words } = this.#view;
    let at = 0;
    for (let row = 0; row < rows; row++) {
      const [from, to] = cellAt(page, first + row);
      words[(starts >> 2) + row] = from < 0 ? -1 : at;
      for (let byte = from; byte < to; byte++) bytes[texts + at++] = page.bytes[byte] as number;
      words[(ends >> 2) + row] = from < 0 ? -1 : at;
    }
    this.#setColumn(column, 0, { bytes: texts, starts, ends });
    return texts + at + MARGIN;
  }

  #setColumn(column: number, codes: number, { bytes, starts, ends }: KeptCells): void {
    const { length } = this.#parts.opens[column] as Uint8Array;
    const open = this.#opens[column] as number;
    this.#view.words.set(
      [codes, bytes, starts, ends, open, length],
      (this.#columns + COLUMN_BYTES * column) >> 2,
    );
  }

  #keepCells({ bytes, starts, ends }: PageCells): boolean {
    if (this.#cells.has(starts)) return true;
    const used = Math.max(0, ends.at(-1) ?? 0);
    if (!this.#hasMemory(used + 8 * starts.length)) return false;
    const kept = {
      bytes: this.#memory.reserve(used + MARGIN),
      starts: this.#memory.reserve(4 * starts.length),
      ends: this.#memory.reserve(4 * ends.length),
    };
    const view = this.#view;
    view.bytes.set(bytes.subarray(0, used), kept.bytes);
    view.words.set(starts, kept.starts >> 2);
    view.words.set(ends, kept.ends >> 2);
    this.#cells.set(starts, kept);
    return true;
  }

  #keepCodes(page: CodedPage): boolean {
    const { rows, bytes, bits, dictionary } = page;
    if (!this.#hasMemory(bytes.length)) return false;
    const state = this.#memory.reserve(CODES_BYTES);
    const at = this.#memory.reserve(bytes.length + MARGIN);
    this.#view.bytes.set(bytes, at);
    // Without bits, all codes are 0.
    const begin = (): void =>
      this.#view.words.set([at, at + bytes.length, bits, bits === 0 ? rows : 0, 0, 0, 0], state >> 2);
    begin();
    const isWhole = this.#memory.kernel.readCodes(state, rows, 0, dictionary.starts.length) !== 0;
    begin();
    if (isWhole) this.#codes.set(page, { state, read: 0 });
    return isWhole;
  }

  #hasMemory(bytes: number): boolean {
    this.#keptBytes += bytes;
    return this.#keptBytes <= MAX_KEPT_BYTES;
  }

  get #view(): { bytes: Uint8Array; words: Int32Array } {
    const { buffer } = this.#memory;
    if (this.#views.bytes.buffer !== buffer) this.#views = viewsOf(buffer);
    return this.#views;
  }
}

const viewsOf = (buffer: ArrayBuffer): { bytes: Uint8Array; words: Int32Array } => ({
  bytes: new Uint8Array(buffer),
  words: new Int32Array(buffer),
});

/** The bytes that have the cells of some rows of a page without codes. */
function spanOf({ starts, ends }: CellPage, first: number, rows: number): { start: number; size: number } {
  let from = first;
  let last = first + rows - 1;
  while (from < last && (starts[from] as number) < 0) from++;
  while (last > from && (starts[last] as number) < 0) last--;
  const start = Math.max(0, starts[from] as number);
  return { start, size: Math.max(start, ends[last] as number) - start };
}

function gatheredSize(page: CellPage, first: number, rows: number): number {
  let size = 0;
  for (let row = first; row < first + rows; row++) {
    const [from, to] = cellAt(page, row);
    size += to - from;
  }
  return size;
}

/** Where the cell of a row is: both -1 if its value is missing. */
function cellAt({ codes, starts, ends }: CellPage, row: number): readonly [from: number, to: number] {
  const code = codes === undefined ? row : (codes[row] as number);
  return code < 0 ? [-1, -1] : [starts[code] as number, ends[code] as number];
}
