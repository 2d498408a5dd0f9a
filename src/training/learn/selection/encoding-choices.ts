import { MAX_OWN_LEVELS } from '../../../reports/model/model-format.ts';
import { scoresOf } from '../../../reports/model/scores.ts';
import type { ColumnValues } from '../features/column-values.ts';
import type { Encoding } from '../features/design.ts';
import type { EncodingChoice } from './search.ts';

/** A level of fewer rows says more of these rows than of others. */
const MIN_LEVEL_ROWS = 5;
/** The other frequency below which levels may be merged. */
const FREQUENT_SHARE = 0.01;
/** A column of so many levels, or with levels that are merged in so many rows, may be better encoded in another way. */
const MANY_LEVELS = 20;
const MANY_MERGED = 0.02;
/** A target-encoded column is a feature for each score. */
const MAX_TARGET_SCORES = 10;

/** The usual encoding of a column: levels of fewer than 5 rows are merged. */
export function usualEncoding({ column, counts }: ColumnValues): Encoding {
  return column.type === 'categorical'
    ? { kind: 'merged', count: countOver(counts, MIN_LEVEL_ROWS) }
    : { kind: 'own' };
}

/** The columns with many or rare levels, and how they may be encoded. */
export function encodingChoices(columns: readonly ColumnValues[], classes: number): EncodingChoice[] {
  return columns.flatMap((values, index) => {
    const { column, counts } = values;
    if (column.type !== 'categorical') return [];
    const rows = counts.reduce((sum, count) => sum + count, 0);
    const usual = countOver(counts, MIN_LEVEL_ROWS);
    const merged = counts.slice(usual).reduce((sum, count) => sum + count, 0);
    if (usual <= MANY_LEVELS && merged <= MANY_MERGED * rows) return [];
    const frequent = countOver(counts, FREQUENT_SHARE * rows);
    const encodings: Encoding[] = [usualEncoding(values)];
    if (frequent > 0 && frequent < usual) encodings.push({ kind: 'merged', count: frequent });
    if (scoresOf(classes) <= MAX_TARGET_SCORES)
      encodings.push({ kind: 'target', count: countOver(counts, 2, Infinity) });
    encodings.push({ kind: 'left out' });
    return [{ index, encodings }];
  });
}

/** How many levels have so many rows; counts fall. */
function countOver(counts: readonly number[], rows: number, most = MAX_OWN_LEVELS): number {
  const below = counts.findIndex(count => count < rows);
  return Math.min(most, below === -1 ? counts.length : below);
}
