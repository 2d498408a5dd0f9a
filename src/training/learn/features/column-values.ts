import { codePointOrder } from '../../../base/contract/code-point-order.ts';
import { encoderOf, type LearnedColumn } from '../../../formats/columns/column-encoder.ts';
import { asCategory } from '../../../formats/values/coerce.ts';

/** A column's values in all rows, as numbers; NaN for a missing value. */
export interface ColumnValues {
  column: LearnedColumn;
  /** For a categorical column, level numbers from 1; the number after the last one for all other values. */
  values: Float64Array;
  /** For a categorical column, its `MAX_LEVELS` most frequent values, in descending order of frequency. */
  levels: readonly string[];
  /** Rows of each level. */
  counts: readonly number[];
}

/** Limits the size of a model; columns with mostly distinct values were already left out. */
const MAX_LEVELS = 10_000;

/**
 * Reads a column once for all trainings. Levels are counted in the learning rows only.
 *
 * @param texts one per row
 */
export function columnValues(
  column: LearnedColumn,
  texts: readonly string[],
  learning: Int32Array,
): ColumnValues {
  if (column.type !== 'categorical') {
    const encode = encoderOf(column);
    return {
      column,
      values: Float64Array.from(texts, text => encode(text) ?? Number.NaN),
      levels: [],
      counts: [],
    };
  }
  const counts = new Map<string, number>();
  for (const row of learning) {
    const level = asCategory(texts[row] ?? '');
    if (level !== null) counts.set(level, (counts.get(level) ?? 0) + 1);
  }
  const ranked = [...counts].sort((a, b) => b[1] - a[1] || codePointOrder(a[0], b[0])).slice(0, MAX_LEVELS);
  const levels = ranked.map(([level]) => level);
  const numbers = new Map(levels.map((level, i) => [level, i + 1]));
  const other = levels.length + 1;
  const values = Float64Array.from(texts, text => {
    const level = asCategory(text);
    return level === null ? Number.NaN : (numbers.get(level) ?? other);
  });
  return { column, values, levels, counts: ranked.map(([, count]) => count) };
}
