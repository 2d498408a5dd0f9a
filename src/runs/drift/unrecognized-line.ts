import { countOf } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { ColumnFigures } from './figures.ts';

/** Columns that are named; a warning is one line. */
const MAX_NAMED = 3;

/**
 * Names the columns with the most values that the model learns nothing from, although they are not missing; only those with a
 * larger share of them than the training rows had, if that is known.
 *
 * @param rows that were read
 * @returns undefined if there are no such values
 */
export function unrecognizedLine(columns: readonly ColumnFigures[], rows: number): string | undefined {
  const found = columns
    .map(column => ({ column, values: (column.mismatched ?? 0) + (column.unseen ?? 0) }))
    .filter(({ column }) => isAboveTraining(column, rows))
    .sort((a, b) => b.values - a.values);
  if (found.length === 0) return undefined;
  const named = found.slice(0, MAX_NAMED).map(({ column }) => describe(column, rows));
  const more = found.length - named.length;
  const rest = more === 0 ? '' : `; and ${more} more ${more === 1 ? 'column' : 'columns'}`;
  return `values that the model does not know count as missing or rare: ${named.join('; ')}${rest}`;
}

const isAboveTraining = ({ mismatched, unseen, training }: ColumnFigures, rows: number): boolean =>
  (mismatched ?? 0) / rows > (training?.mismatched ?? 0) / (training?.rows ?? 1) ||
  (unseen ?? 0) / rows > (training?.unseen ?? 0) / (training?.rows ?? 1);

function describe({ name, mismatched, unseen, training }: ColumnFigures, rows: number): string {
  const parts = [
    {
      values: mismatched ?? 0,
      of: training?.mismatched,
      one: 'is not of its type',
      many: 'are not of its type',
    },
    {
      values: unseen ?? 0,
      of: training?.unseen,
      one: 'is a category unknown to the model',
      many: 'are categories unknown to the model',
    },
  ].flatMap(({ values, of, one, many }) => {
    if (values === 0) return [];
    const before =
      of === undefined || training === null ? '' : `, ${percent(of / training.rows)} in training`;
    const share = `(${percent(values / rows)}${before})`;
    return [`${countOf(values, 'value')} of "${sanitize(name)}" ${values === 1 ? one : many} ${share}`];
  });
  return parts.join(' and ');
}

const percent = (share: number): string => `${(100 * share).toFixed(share < 0.001 && share > 0 ? 3 : 1)}%`;
