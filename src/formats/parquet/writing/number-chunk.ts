import { varint } from '../footer/thrift.ts';
import type { NumberColumn } from './number-column.ts';
import type { ValueColumn } from './value-column.ts';
import {
  doubleStatistics,
  missingStatistics,
  type WrittenChunk,
  type WrittenPage,
  writtenChunk,
} from './written-chunk.ts';

/** Rows of a page, whose values take at most a mebibyte. */
const PAGE_ROWS = 1 << 17;

/** Writes numbers as a chunk of doubles, as they are and not compressed: few of them repeat. */
export function numberChunk(column: NumberColumn, name: string): WrittenChunk {
  const pages: WrittenPage[] = [];
  for (let from = 0, first = 0; from < column.rows; from += PAGE_ROWS) {
    const rows = Math.min(PAGE_ROWS, column.rows - from);
    const { values, present } = column.slice(from, from + rows, first);
    first += values.length;
    pages.push({
      rows,
      missing: rows - values.length,
      levels: present === undefined ? allPresent(rows) : levelsOf(present),
      // Every processor that Node runs on with WebAssembly is little-endian, as the format is.
      values: new Uint8Array(values.buffer, values.byteOffset, values.byteLength),
    });
  }
  const statistics = doubleStatistics(column.values, column.rows - column.values.length);
  return writtenChunk({ name, type: 'DOUBLE', isCompressed: false, pages, statistics });
}

/**
 * Writes booleans as a chunk, a bit for each.
 *
 * @param column of values of one byte, 0 or 1
 */
export function booleanChunk(column: ValueColumn, name: string): WrittenChunk {
  const { rows, present } = column;
  const values = Buffer.alloc(Math.ceil(present / 8));
  const levels = new Uint8Array(rows);
  for (let row = 0, bit = 0; row < rows; row++) {
    const [value] = column.at(row) ?? [];
    if (value === undefined) continue;
    levels[row] = 1;
    values[bit >> 3] = (values[bit >> 3] ?? 0) | (value << (bit & 7));
    bit++;
  }
  const missing = rows - present;
  const pages = [{ rows, missing, levels: levelsOf(levels), values }];
  const statistics = missingStatistics(missing);
  return writtenChunk({ name, type: 'BOOLEAN', isCompressed: false, pages, statistics });
}

/**
 * The levels of rows in the hybrid of run-length encoding and bit-packing: 1 for each that has a value, and 0 for
 * others.
 */
export const levelsOf = (present: ArrayLike<number>): Buffer => writeHybrid(present, 1);

/** The levels of rows that all have values. */
export const allPresent = (rows: number): Buffer => Buffer.concat([varint(2 * rows), Buffer.of(1)]);

/** Writes numbers of some bits, from 1 to 24, as a single run: packed, or the number that all are. */
export function writeHybrid(numbers: ArrayLike<number>, bits: number): Buffer {
  if (numbers.length === 0) return Buffer.alloc(0);
  const first = numbers[0] ?? 0;
  let isRepeated = true;
  for (let index = 0; isRepeated && index < numbers.length; index++) isRepeated = numbers[index] === first;
  if (isRepeated) {
    const value = Buffer.alloc(Math.ceil(bits / 8));
    value.writeUIntLE(first, 0, value.length);
    return Buffer.concat([varint(2 * numbers.length), value]);
  }
  const groups = Math.ceil(numbers.length / 8);
  const head = varint(2 * groups + 1);
  const bytes = Buffer.alloc(head.length + groups * bits);
  bytes.set(head);
  let at = head.length;
  let [held, size] = [0, 0];
  for (let index = 0; index < numbers.length; index++) {
    held |= (numbers[index] as number) << size;
    size += bits;
    for (; size >= 8; size -= 8) {
      bytes[at++] = held & 255;
      held >>>= 8;
    }
  }
  if (size > 0) bytes[at] = held & 255;
  return bytes;
}
