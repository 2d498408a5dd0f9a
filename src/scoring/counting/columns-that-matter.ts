import type { ColumnProfile } from '../../base/contract/profile.ts';

/** A column of a report and its share of what the predictions depend on. */
export interface Driver {
  column: string;
  impact: number;
}

/** A column with this share of the drivers' impact matters, however many columns there are. */
const MIN_IMPACT = 0.01;
/** The share of values that the model recognized in training and does not recognize now, above which a run stops. */
const DEFAULT_SHARE = 0.5;

/**
 * Decides which columns predictions depend on so much that a run must not go on if most of their values mean nothing to the
 * model: those with at least 1% of the impact of all drivers, or with as much as the average column, because the impact
 * of each of very many columns is small. If the report does not say, all of them.
 *
 * @param names of the columns that the model gets
 */
export function columnsThatMatter(
  drivers: readonly Driver[] = [],
  names: readonly string[],
): (name: string) => boolean {
  const known = new Set(names);
  const impacts = new Map(
    drivers.flatMap(({ column, impact }) => (known.has(column) && impact > 0 ? [[column, impact]] : [])),
  );
  if (impacts.size === 0) return () => true;
  const total = [...impacts.values()].reduce((sum, impact) => sum + impact, 0);
  const least = total * Math.min(MIN_IMPACT, 1 / names.length);
  return name => (impacts.get(name) ?? 0) >= least;
}

/** By kind, the share of a column's values above which a run stops: half of those that were recognized in training, and all others. */
export function stopsAbove(
  training: Pick<ColumnProfile, 'mismatched' | 'unseen'> | undefined,
  rows: number | undefined,
): Record<'mismatched' | 'unseen', number> {
  const shareOf = (before: number): number => {
    const inTraining = rows === undefined ? 0 : before / rows;
    return inTraining + DEFAULT_SHARE * (1 - inTraining);
  };
  return { mismatched: shareOf(training?.mismatched ?? 0), unseen: shareOf(training?.unseen ?? 0) };
}
