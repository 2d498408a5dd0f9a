import { codePointOrder } from '../../../contract/class-order.ts';
import { encoderOf, type LearnedColumn } from '../../../reports/model/column-encoder.ts';
import { asCategory } from '../../../reports/values/coerce.ts';

/** A column's values in all rows of a history, as numbers; NaN where a value is missing. */
export interface ColumnValues {
  column: LearnedColumn;
  /** Of a categorical column the levels' numbers, from 1; one above the last for values that are not levels. */
  values: Float64Array;
  /** Of a categorical column: its values by falling frequency, the most frequent `MAX_LEVELS`. */
  levels: readonly string[];
  /** Rows of each level. */
  counts: readonly number[];
}

/** Bounds the size of a model; a column whose values mostly differ is left out before. */
const MAX_LEVELS = 10_000;

/**
 * Reads a column once for all that is learned from it. Levels are counted in the rows that may be learned from.
 *
 * @param texts one a row of the history
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
