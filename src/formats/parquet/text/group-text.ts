import { isUtf8 } from 'node:buffer';
import { RowcastError } from '../../../base/errors.ts';
import { sanitize } from '../../../base/sanitize.ts';
import type { FileColumn } from '../footer/parquet-file.ts';
import type { Cell, ColumnPages } from './group-reader.ts';
import { type Physical, valueText } from './value-text.ts';

const [COMMA, QUOTE, LF, CR] = Buffer.from(',"\n\r');
/** A chunk of text has at least this many bytes, but for the last one of a group. */
const CHUNK_BYTES = 128 << 10;
/** Texts of values that are kept for each column: columns with more values rarely repeat one. */
const MAX_KEPT = 10_000;

/** Writes groups of a file as records of a CSV. */
export class GroupText {
  readonly #columns: readonly FileColumn[];
  readonly #cells: readonly ((value: Physical) => Uint8Array)[];
  #chunk = Buffer.allocUnsafeSlow(2 * CHUNK_BYTES);

  constructor(columns: readonly FileColumn[]) {
    this.#columns = columns;
    this.#cells = columns.map(({ name, type }) => cellsOf(valueText(type), name));
  }

  /** @returns chunks that are valid until the next one is requested */
  *write(rows: number, columns: readonly ColumnPages[]): Generator<Buffer> {
    const cursors = columns.map(pages => new PageCursor(pages));
    const { length } = this.#columns;
    let at = 0;
    for (let row = 0; row < rows; row++) {
      const start = at;
      for (let column = 0; column < length; column++) {
        const value = cursors[column]?.at(row);
        at = this.#withRoom(at, 2);
        if (column > 0) this.#chunk[at++] = COMMA as number;
        if (value === null) continue;
        // A place beyond the end of a dictionary has no value, not even a missing one.
        if (value === undefined) throw new Error('a value is not in its dictionary');
        const cell = Buffer.isBuffer(value) ? value : this.#cells[column]?.(value);
        if (cell !== undefined) at = this.#append(cell, at);
      }
      at = this.#withRoom(at, 3);
      // An empty line would be no row.
      if (at === start) at = this.#append(EMPTY, at);
      this.#chunk[at++] = LF as number;
      if (at < CHUNK_BYTES && row < rows - 1) continue;
      yield this.#chunk.subarray(0, at);
      at = 0;
    }
  }

  #append(cell: Uint8Array, at: number): number {
    const { length } = cell;
    const end = this.#withRoom(at, length) + length;
    // Most cells are shorter than what a call of `set` costs.
    if (length > 24) this.#chunk.set(cell, at);
    else for (let index = 0; index < length; index++) this.#chunk[at + index] = cell[index] as number;
    return end;
  }

  #withRoom(at: number, bytes: number): number {
    if (at + bytes <= this.#chunk.length) return at;
    const larger = Buffer.allocUnsafeSlow(2 * (at + bytes));
    this.#chunk.copy(larger, 0, 0, at);
    this.#chunk = larger;
    return at;
  }
}

const EMPTY = Buffer.from('""');

/** The values of a column, row after row. */
class PageCursor {
  readonly #pages: ColumnPages;
  #page = 0;
  #start = 0;
  #values: ArrayLike<Cell>;

  constructor(pages: ColumnPages) {
    this.#pages = pages;
    this.#values = pages[0]?.values ?? [];
  }

  at(row: number): Cell {
    while (row - this.#start >= this.#values.length) {
      const next = this.#pages[++this.#page];
      if (next === undefined) return undefined;
      this.#start = next.rowStart;
      this.#values = next.values;
    }
    return this.#values[row - this.#start];
  }
}

/** The cells of a column, of which those of few values are kept. They throw RowcastError `unsupported_column`. */
function cellsOf(text: ReturnType<typeof valueText>, name: string): (value: Physical) => Uint8Array {
  if (text === undefined) return value => textCell(value as Uint8Array);
  const known = new Map<Physical, Uint8Array>();
  return value => {
    const kept = known.get(value);
    if (kept !== undefined) return kept;
    const cell = textCell(Buffer.from(textOf(text, value, name)));
    if (known.size === MAX_KEPT) known.clear();
    // Not zero, because a map takes -0 for 0.
    if (value !== 0) known.set(value, cell);
    return cell;
  };
}

function textOf(text: (value: Physical) => string, value: Physical, column: string): string {
  try {
    return text(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const what = `the column "${sanitize(column)}" cannot be read: ${error.message}`;
    throw new RowcastError('unsupported_column', what, {
      severity: 'stopped',
      hint: 'Leave the column out with --keep or --exclude-features, or convert it first.',
    });
  }
}

/**
 * The cell of a text. An empty text is in quotes, and a missing value is not.
 *
 * @param bytes what is not UTF-8 is replaced by U+FFFD, as all who read such a file do
 */
export function textCell(bytes: Uint8Array): Buffer {
  const text = isUtf8(bytes) ? bytes : Buffer.from(Buffer.from(bytes).toString());
  if (text.length === 0) return EMPTY;
  let quotes = 0;
  let isPlain = true;
  for (const byte of text) {
    if (byte === QUOTE) quotes++;
    else if (byte === COMMA || byte === LF || byte === CR) isPlain = false;
  }
  if (isPlain && quotes === 0) return Buffer.from(text);
  const cell = Buffer.allocUnsafeSlow(text.length + quotes + 2);
  let at = 0;
  cell[at++] = QUOTE as number;
  for (const byte of text) {
    if (byte === QUOTE) cell[at++] = QUOTE as number;
    cell[at++] = byte;
  }
  cell[at++] = QUOTE as number;
  return cell;
}
