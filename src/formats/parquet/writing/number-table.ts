import { BatchMemory } from '../../../base/kernel/batch-memory.ts';
import type { Dialect } from '../../../base/parse-records.ts';
import { POWERS_OF_TEN } from '../../bytes/decimals.ts';
import { CR, LF } from '../../records/line-endings.ts';
import { NumberColumn } from './number-column.ts';

/** Bytes of a text that are read at once. */
const PIECE_BYTES = 64 << 10;
/** `Place` in assembly/read-table.ts. */
const STATE_BYTES = 12;

/**
 * Reads the columns of a text of records of numbers.
 *
 * @param rows how many there probably are
 * @param numberOf reads what is not a plain decimal; undefined if it is no number
 * @returns undefined if the text has quotes, blank lines or anything else that is not a record of numbers
 */
export type ReadTable = (
  text: Buffer,
  rows: number,
  numberOf: (text: string) => number | null | undefined,
) => NumberColumn[] | undefined;

/**
 * Reads such texts in WebAssembly.
 *
 * @returns undefined without WebAssembly, or if a lone CR ends a record or quotes are escaped by another character
 */
export function numberTable(dialect: Dialect, width: number): ReadTable | undefined {
  const memory = dialect.loneCr || dialect.escape !== undefined ? undefined : BatchMemory.create();
  if (memory === undefined) return undefined;
  const delimiter = dialect.delimiter.charCodeAt(0);
  const quote = dialect.quote?.charCodeAt(0);
  // A field takes at least a byte, with what is behind it.
  const step = Math.ceil(PIECE_BYTES / width);
  const powers = memory.keep(POWERS_OF_TEN);

  const readPiece = (
    piece: Buffer,
    columns: readonly NumberColumn[],
    numberOf: Parameters<ReadTable>[2],
  ): boolean => {
    memory.clear();
    const stateAt = memory.reserve(STATE_BYTES);
    const text = memory.reserve(PIECE_BYTES);
    const values = memory.reserve(8 * step * width);
    const present = memory.reserve(step * width);
    const bytes = Buffer.from(memory.buffer, text, piece.length);
    bytes.set(piece);
    const state = new Int32Array(memory.buffer, stateAt, STATE_BYTES / 4).fill(0);
    const allValues = new Float64Array(memory.buffer, values, step * width);
    const allPresent = new Uint8Array(memory.buffer, present, step * width);
    for (;;) {
      const { kernel } = memory;
      kernel.readTable(text, piece.length, stateAt, width, delimiter, values, present, step, powers);
      const [at = 0, row = 0, column = 0] = state;
      if (at === piece.length) {
        for (const [index, own] of columns.entries())
          own.push(
            allValues.subarray(index * step, index * step + row),
            allPresent.subarray(index * step, index * step + row),
          );
        return true;
      }
      const isLast = column === width - 1;
      const end = bytes.indexOf(isLast ? LF : delimiter, at);
      const field = bytes.subarray(at, isLast && bytes[end - 1] === CR ? end - 1 : end);
      const isQuoted = quote !== undefined && field.includes(quote);
      if (end <= at || isQuoted || field.includes(LF)) return false;
      const number = numberOf(field.toString());
      if (number === undefined) return false;
      allValues[column * step + row] = number ?? 0;
      allPresent[column * step + row] = number === null ? 0 : 1;
      state[0] = end + 1;
      state[1] = isLast ? row + 1 : row;
      state[2] = isLast ? 0 : column + 1;
    }
  };

  return (text, rows, numberOf) => {
    const columns = Array.from({ length: width }, () => new NumberColumn(rows));
    for (let from = 0; from < text.length; ) {
      const end = text.lastIndexOf(LF, Math.min(text.length, from + PIECE_BYTES) - 1) + 1;
      if (end <= from || !readPiece(text.subarray(from, end), columns, numberOf)) return undefined;
      from = end;
    }
    return columns;
  };
}
