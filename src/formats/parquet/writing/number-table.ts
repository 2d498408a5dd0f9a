import { BatchMemory } from '../../../base/kernel/batch-memory.ts';
import type { Dialect } from '../../../base/parse-records.ts';
import { POWERS_OF_TEN } from '../../bytes/decimals.ts';
import { LF } from '../../records/line-endings.ts';
import { NumberColumn } from './number-column.ts';

/** Bytes of a text that are read at once. */
const PIECE_BYTES = 64 << 10;
/** `Place` in assembly/read-table.ts. */
const STATE_BYTES = 12;
const CR = 0x0d;

/** Reads records of numbers in WebAssembly. */
export class NumberTable {
  readonly #memory: BatchMemory;
  readonly #width: number;
  readonly #delimiter: number;
  readonly #quote: number | undefined;
  readonly #step: number;
  readonly #powers: number;

  private constructor(memory: BatchMemory, width: number, { delimiter, quote }: Dialect) {
    this.#memory = memory;
    this.#width = width;
    this.#delimiter = delimiter.charCodeAt(0);
    this.#quote = quote?.charCodeAt(0);
    // A field takes at least a byte, with what is behind it.
    this.#step = Math.ceil(PIECE_BYTES / width);
    this.#powers = memory.keep(POWERS_OF_TEN);
  }

  /** @returns undefined where there is no WebAssembly, or a lone CR ends a record */
  static create(dialect: Dialect, width: number): NumberTable | undefined {
    const memory = dialect.loneCr || dialect.escape !== undefined ? undefined : BatchMemory.create();
    return memory && new NumberTable(memory, width, dialect);
  }

  /**
   * Reads the columns of a text.
   *
   * @param rows how many there probably are
   * @param numberOf reads what is not a plain decimal; undefined if it is no number
   * @returns undefined if the text has quotes, blank lines or anything else that is not a record of numbers
   */
  read(
    text: Buffer,
    rows: number,
    numberOf: (text: string) => number | null | undefined,
  ): NumberColumn[] | undefined {
    const columns = Array.from({ length: this.#width }, () => new NumberColumn(rows));
    for (let from = 0; from < text.length; ) {
      const end = text.lastIndexOf(LF, Math.min(text.length, from + PIECE_BYTES) - 1) + 1;
      if (end <= from || !this.#readPiece(text.subarray(from, end), columns, numberOf)) return undefined;
      from = end;
    }
    return columns;
  }

  #readPiece(
    piece: Buffer,
    columns: readonly NumberColumn[],
    numberOf: (text: string) => number | null | undefined,
  ): boolean {
    const memory = this.#memory;
    const step = this.#step;
    memory.clear();
    const stateAt = memory.reserve(STATE_BYTES);
    const text = memory.reserve(PIECE_BYTES);
    const values = memory.reserve(8 * step * this.#width);
    const present = memory.reserve(step * this.#width);
    const bytes = Buffer.from(memory.buffer, text, piece.length);
    bytes.set(piece);
    const state = new Int32Array(memory.buffer, stateAt, STATE_BYTES / 4).fill(0);
    const allValues = new Float64Array(memory.buffer, values, step * this.#width);
    const allPresent = new Uint8Array(memory.buffer, present, step * this.#width);
    for (;;) {
      const { kernel } = memory;
      const [delimiter, powers] = [this.#delimiter, this.#powers];
      kernel.readTable(text, piece.length, stateAt, this.#width, delimiter, values, present, step, powers);
      const [at = 0, row = 0, column = 0] = state;
      if (at === piece.length) {
        for (const [index, own] of columns.entries())
          own.push(
            allValues.subarray(index * step, index * step + row),
            allPresent.subarray(index * step, index * step + row),
          );
        return true;
      }
      const isLast = column === this.#width - 1;
      const end = bytes.indexOf(isLast ? LF : this.#delimiter, at);
      const field = bytes.subarray(at, isLast && bytes[end - 1] === CR ? end - 1 : end);
      const isQuoted = this.#quote !== undefined && field.includes(this.#quote);
      if (end <= at || isQuoted || field.includes(LF)) return false;
      const number = numberOf(field.toString());
      if (number === undefined) return false;
      allValues[column * step + row] = number ?? 0;
      allPresent[column * step + row] = number === null ? 0 : 1;
      state[0] = end + 1;
      state[1] = isLast ? row + 1 : row;
      state[2] = isLast ? 0 : column + 1;
    }
  }
}
