import { mayBeMissing } from './file-column.ts';
import { CHUNK, COLUMN, STATISTICS } from './numbers.ts';
import type { ParquetFile } from './parquet-file.ts';

/**
 * What the footer says of the values of rows.
 *
 * @returns `some` if each row has a value in some column; `none` if rows may have none, because all columns of a group lack values;
 *   `unknown` if statistics that would say it are missing
 */
export function valuesInRows({ columns, groups }: ParquetFile): 'some' | 'none' | 'unknown' {
  if (columns.some(({ type, elements: [own] }) => type.is !== 'struct' && !mayBeMissing(own))) return 'some';
  const leaves = columns.at(-1)?.leaves[1] ?? 0;
  let isFilled = true;
  for (const group of groups) {
    let known = 0;
    let leaf = 0;
    for (; leaf < leaves; leaf++) {
      const metadata = group.chunk(leaf).struct(CHUNK.metadata);
      const statistics = metadata.has(COLUMN.statistics) ? metadata.struct(COLUMN.statistics) : undefined;
      if (statistics?.has(STATISTICS.missing) !== true) continue;
      if (statistics.integer(STATISTICS.missing) === 0) break;
      known++;
    }
    if (leaf < leaves) continue;
    isFilled = false;
    if (known === leaves) return 'none';
  }
  return isFilled ? 'some' : 'unknown';
}
