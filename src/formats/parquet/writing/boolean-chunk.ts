import { levelsOf } from './hybrid.ts';
import type { ValueColumn } from './value-column.ts';
import { missingStatistics, type WrittenChunk, writtenChunk } from './written-chunk.ts';

/**
 * Writes booleans as a chunk, a bit for each.
 *
 * @param column of values of one byte, 0 or 1
 * @param offset of the chunk in the file
 */
export function booleanChunk(column: ValueColumn, name: string, offset: number): WrittenChunk {
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
  return writtenChunk({ name, type: 'BOOLEAN', isCompressed: false, pages, statistics }, offset);
}
