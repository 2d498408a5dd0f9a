import type { BatchMemory } from '../../../base/kernel/batch-memory.ts';
import type { RecordParts } from './text-kind.ts';
import type { TextPage } from './text-page.ts';

/** Rows that are written at once. */
const BLOCK_ROWS = 1024;
/** A record is not longer, but for those that TypeScript writes. */
const OUT_BYTES = 256 << 10;
/** Memory for the cells of a group, and for those of a block. */
const [MAX_KEPT_BYTES, MAX_BLOCK_BYTES] = [16 << 20, 4 << 20];
/** `Column` in assembly/write-cells.ts. */
const COLUMN_BYTES = 24;
/** As many bytes may be read behind a text. */
const MARGIN = 16;

/** Where the cells of a dictionary are in the memory. */
interface KeptCells {
  readonly bytes: number;
  readonly starts: number;
  readonly ends: number;
}

/** Writes rows of pages as records in WebAssembly, as `GroupText` does. */
export class KernelCells {
  readonly #memory: BatchMemory;
  readonly #parts: RecordParts;
  readonly #opens: readonly number[];
  readonly #missing: number;
  readonly #close: number;
  /** Memory of a group. */
  #kept = new Map<Int32Array, KeptCells>();
  #keptBytes = 0;
  #columns = 0;
  #out = 0;
  #recordEnds = 0;
  /** For each column, the codes of the rows of a block, or the offsets of their cells. */
  #offsets = 0;
  #texts = 0;
  #textBytes = 0;
  #views: { readonly bytes: Uint8Array; readonly words: Int32Array } | undefined;

  constructor(memory: BatchMemory, parts: RecordParts) {
    this.#memory = memory;
    this.#parts = parts;
    const keep = (text: Uint8Array): number => memory.keep(Buffer.concat([text, Buffer.alloc(MARGIN)]));
    this.#opens = parts.opens.map(keep);
    this.#missing = keep(parts.missing);
    this.#close = keep(parts.close);
  }

  /** Forgets the cells of the last group. */
  begin(): void {
    const { opens } = this.#parts;
    this.#memory.clear();
    this.#kept = new Map();
    this.#keptBytes = 0;
    this.#columns = this.#memory.reserve(COLUMN_BYTES * opens.length);
    this.#out = this.#memory.reserve(OUT_BYTES);
    this.#recordEnds = this.#memory.reserve(4 * BLOCK_ROWS);
    this.#offsets = this.#memory.reserve(8 * BLOCK_ROWS * opens.length);
    this.#textBytes = 0;
  }

  /**
   * Writes rows `[from, to)`, or the first ones of them.
   *
   * @param firstRows of the pages
   * @returns their records, which are valid until more are written, and the row after them; undefined if TypeScript has to write
   *   the next row, because it is too long, or its cells take too much memory
   */
  write(
    pages: readonly TextPage[],
    firstRows: readonly number[],
    [from, to]: readonly [from: number, to: number],
  ): { bytes: Buffer; next: number } | undefined {
    const rows = Math.min(BLOCK_ROWS, to - from);
    if (!this.#load(pages, firstRows, from, rows)) return undefined;
    const { missing, close } = this.#parts;
    const written = this.#memory.kernel.writeCells(
      this.#columns,
      pages.length,
      0,
      rows,
      this.#missing,
      missing.length,
      this.#close,
      close.length,
      this.#out,
      this.#out + OUT_BYTES,
      this.#recordEnds,
    );
    if (written === 0) return undefined;
    const { words } = this.#memoryViews();
    const length = words[(this.#recordEnds >> 2) + written - 1] as number;
    return { bytes: Buffer.from(this.#memory.buffer, this.#out, length), next: from + written };
  }

  /** Copies what is needed of the pages. @returns whether there is memory for it */
  #load(pages: readonly TextPage[], firstRows: readonly number[], from: number, rows: number): boolean {
    let textBytes = 0;
    for (const [column, page] of pages.entries()) {
      const first = from - (firstRows[column] as number);
      if (page.codes !== undefined && !this.#keep(page)) return false;
      if (page.codes === undefined) textBytes += MARGIN + spanOf(page, first, rows).size;
    }
    if (textBytes > MAX_BLOCK_BYTES) return false;
    if (textBytes > this.#textBytes) {
      this.#textBytes = 2 * textBytes;
      this.#texts = this.#memory.reserve(this.#textBytes);
    }
    const { bytes, words } = this.#memoryViews();
    let text = this.#texts;
    for (const [column, page] of pages.entries()) {
      const first = from - (firstRows[column] as number);
      const offsets = this.#offsets + 8 * BLOCK_ROWS * column;
      const at = (this.#columns + COLUMN_BYTES * column) >> 2;
      const kept = page.codes && this.#kept.get(page.starts);
      if (page.codes !== undefined && kept !== undefined) {
        words.set(page.codes.subarray(first, first + rows), offsets >> 2);
        words[at] = offsets;
        words[at + 1] = kept.bytes;
        words[at + 2] = kept.starts;
        words[at + 3] = kept.ends;
      } else {
        const { start, size } = spanOf(page, first, rows);
        bytes.set(page.bytes.subarray(start, start + size), text);
        words.set(page.starts.subarray(first, first + rows), offsets >> 2);
        words.set(page.ends.subarray(first, first + rows), (offsets >> 2) + BLOCK_ROWS);
        words[at] = 0;
        // An address, modulo 2^32, to which the offset of a cell is added.
        words[at + 1] = text - start;
        words[at + 2] = offsets;
        words[at + 3] = offsets + 4 * BLOCK_ROWS;
        text += size + MARGIN;
      }
      words[at + 4] = this.#opens[column] as number;
      words[at + 5] = (this.#parts.opens[column] as Uint8Array).length;
    }
    return true;
  }

  /** Copies the cells of a dictionary, unless they are there. @returns whether there is memory for them */
  #keep({ bytes, starts, ends }: TextPage): boolean {
    if (this.#kept.has(starts)) return true;
    const used = ends.length === 0 ? 0 : (ends.at(-1) as number);
    this.#keptBytes += used + 8 * starts.length;
    if (this.#keptBytes > MAX_KEPT_BYTES) return false;
    const kept = {
      bytes: this.#memory.reserve(used + MARGIN),
      starts: this.#memory.reserve(4 * starts.length),
      ends: this.#memory.reserve(4 * ends.length),
    };
    const views = this.#memoryViews();
    views.bytes.set(bytes.subarray(0, used), kept.bytes);
    views.words.set(starts, kept.starts >> 2);
    views.words.set(ends, kept.ends >> 2);
    this.#kept.set(starts, kept);
    return true;
  }

  #memoryViews(): { bytes: Uint8Array; words: Int32Array } {
    const { buffer } = this.#memory;
    if (this.#views?.bytes.buffer !== buffer)
      this.#views = { bytes: new Uint8Array(buffer), words: new Int32Array(buffer) };
    return this.#views;
  }
}

/** The bytes that have the cells of some rows of a page without codes. */
function spanOf({ starts, ends }: TextPage, first: number, rows: number): { start: number; size: number } {
  let from = first;
  let last = first + rows - 1;
  while (from < last && (starts[from] as number) < 0) from++;
  while (last > from && (starts[last] as number) < 0) last--;
  const start = Math.max(0, starts[from] as number);
  return { start, size: Math.max(start, ends[last] as number) - start };
}
