import type { ColumnProfile } from '../../base/contract/profile.ts';

/** A kind of values that the model learns nothing from. */
export type UnknownKind = 'missing' | 'mismatched' | 'unseen';

/** A column of a report and its share of what the predictions depend on. */
export interface Driver {
  column: string;
  impact: number;
}

/** In an input with fewer rows, a share of them says little: it is no more than a few. */
export const MIN_ROWS_FOR_SHARE = 10;

/** A column with this share of the drivers' impact matters, however many columns there are. */
const MIN_IMPACT = 0.01;
/** The share of values that the model recognized in training and does not recognize now, above which a run stops. */
const DEFAULT_SHARE = 0.5;

/**
 * Decides how much columns matter. A run must not go on if most values of columns mean nothing to the model whose weights add up
 * to 1: a single one with at least 1% of the impact of all drivers, or with as much as the average column, because the impact
 * of each of very many columns is small; or several with less. If the report does not say, each matters.
 *
 * @param names of the columns that the model gets
 * @returns the weight of a column, from 0 to 1
 */
export function weightsOf(
  drivers: readonly Driver[] = [],
  names: readonly string[],
): (name: string) => number {
  const known = new Set(names);
  const impacts = new Map(
    drivers.flatMap(({ column, impact }) => (known.has(column) && impact > 0 ? [[column, impact]] : [])),
  );
  if (impacts.size === 0) return () => 1;
  const total = [...impacts.values()].reduce((sum, impact) => sum + impact, 0);
  const least = total * Math.min(MIN_IMPACT, 1 / names.length);
  return name => Math.min(1, (impacts.get(name) ?? 0) / least);
}

/**
 * By kind, the share above which a run stops: half of the values that were recognized in training, and all others. A column
 * that often had no value in training may be missing in up to twice as many rows.
 *
 * @returns for missing values undefined, if nothing is known of the training
 */
export function stopsAbove(
  training: Pick<ColumnProfile, UnknownKind> | undefined,
  rows: number | undefined,
): Record<UnknownKind, number | undefined> {
  const missing = training?.missing ?? 0;
  const shareOf = (before: number, among: number | undefined): number => {
    const inTraining = among === undefined || among <= 0 ? 0 : before / among;
    return inTraining + DEFAULT_SHARE * (1 - inTraining);
  };
  const there = rows === undefined ? undefined : rows - missing;
  return {
    missing:
      training === undefined || rows === undefined
        ? undefined
        : Math.max(shareOf(missing, rows), (2 * missing) / rows),
    mismatched: shareOf(training?.mismatched ?? 0, there),
    unseen: shareOf(training?.unseen ?? 0, there),
  };
}
