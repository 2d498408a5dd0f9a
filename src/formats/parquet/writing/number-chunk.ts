import { allPresent, levelsOf } from './hybrid.ts';
import type { NumberColumn } from './number-column.ts';
import { doubleStatistics, type WrittenChunk, type WrittenPage, writtenChunk } from './written-chunk.ts';

/** Rows of a page, whose values take at most a mebibyte. */
const PAGE_ROWS = 1 << 17;

/**
 * Writes numbers as a chunk of doubles, as they are and not compressed: few of them repeat.
 *
 * @param offset of the chunk in the file
 */
export function numberChunk(column: NumberColumn, name: string, offset: number): WrittenChunk {
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
  return writtenChunk({ name, type: 'DOUBLE', isCompressed: false, pages, statistics }, offset);
}
