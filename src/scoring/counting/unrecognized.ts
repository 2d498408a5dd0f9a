import type { UnknownKind } from './columns-that-matter.ts';
import type { CountedColumn } from './counted-column.ts';
import type { RunTally } from './run-tally.ts';
import type { TallyLayout } from './tally.ts';

/** Where a kind is counted, after `TallyLayout.unrecognizedAt`. */
export const placeOf: Readonly<Record<UnknownKind, number>> = {
  missing: 0,
  mismatched: 1,
  unseen: 2,
};

/** Whether it is known which values of a column are of this kind. */
export const isKnown = ({ learned, hasLevels }: CountedColumn, kind: UnknownKind): boolean =>
  kind === 'missing' || (kind === 'unseen' ? hasLevels : learned !== undefined);

/** How many values of all columns the model does not recognize, as far as it is known which it does. */
export function countUnrecognized(
  { counts }: Pick<RunTally, 'counts'>,
  layout: Pick<TallyLayout, 'columns' | 'unrecognizedAt'>,
): Record<'mismatched' | 'unseen', number> {
  const total = (kind: UnknownKind): number =>
    layout.columns
      .map((column, i) =>
        isKnown(column, kind) ? (counts[layout.unrecognizedAt(i) + placeOf[kind]] ?? 0) : 0,
      )
      .reduce((sum, count) => sum + count, 0);
  return { mismatched: total('mismatched'), unseen: total('unseen') };
}
