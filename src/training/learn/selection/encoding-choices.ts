import { MAX_OWN_LEVELS } from '../../../models/model/model-format.ts';
import { scoresOf } from '../../../models/model/scores.ts';
import type { ColumnValues } from '../features/column-values.ts';
import type { Encoding } from '../features/design.ts';
import type { EncodingChoice } from './search.ts';

/** A level with fewer rows would be overfitted. */
const MIN_LEVEL_ROWS = 5;
/** An alternative threshold: levels below this share of the rows may be merged. */
const FREQUENT_SHARE = 0.01;
/** Other encodings are tried for columns with more levels, or with more rows in merged levels. */
const MANY_LEVELS = 20;
const MANY_MERGED = 0.02;
/** With more scores target encoding is not tried, because it adds a feature for each. */
const MAX_TARGET_SCORES = 10;

/** The default encoding of a column: levels with fewer than 5 rows are merged. */
export function defaultEncoding({ column, counts }: ColumnValues): Encoding {
  return column.type === 'categorical'
    ? { kind: 'merged', count: countOver(counts, MIN_LEVEL_ROWS) }
    : { kind: 'own' };
}

/** The columns with many or rare levels, and the encodings to try. */
export function encodingChoices(columns: readonly ColumnValues[], classes: number): EncodingChoice[] {
  return columns.flatMap((values, index) => {
    const { column, counts } = values;
    if (column.type !== 'categorical') return [];
    const rows = counts.reduce((sum, count) => sum + count, 0);
    const frequentEnough = countOver(counts, MIN_LEVEL_ROWS);
    const merged = counts.slice(frequentEnough).reduce((sum, count) => sum + count, 0);
    if (frequentEnough <= MANY_LEVELS && merged <= MANY_MERGED * rows) return [];
    const frequent = countOver(counts, FREQUENT_SHARE * rows);
    const encodings: Encoding[] = [defaultEncoding(values)];
    if (frequent > 0 && frequent < frequentEnough) encodings.push({ kind: 'merged', count: frequent });
    if (scoresOf(classes) <= MAX_TARGET_SCORES)
      encodings.push({ kind: 'target', count: countOver(counts, 2, Infinity) });
    encodings.push({ kind: 'left out' });
    return [{ index, encodings }];
  });
}

/** The number of levels with at least this many rows; `counts` is in descending order. */
function countOver(counts: readonly number[], rows: number, most = MAX_OWN_LEVELS): number {
  const below = counts.findIndex(count => count < rows);
  return Math.min(most, below === -1 ? counts.length : below);
}
