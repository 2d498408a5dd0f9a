import { numberOf } from '../../reports/values/coerce.ts';

/**
 * The order in which to show classes, as indexes: by number if they are numbers, or ranges of numbers as training with
 * `--bins` names them, and otherwise as in the report.
 */
export function classOrder(classes: readonly string[]): number[] {
  const indexes = [...classes.keys()];
  const lows = classes.map(lowestOf);
  if (lows.includes(undefined)) return indexes;
  return indexes.sort((a, b) => (lows[a] ?? 0) - (lows[b] ?? 0));
}

/** The lower bound of "below 10", "10 to 20" or "20 and above"; undefined if it is none of them, nor a number. */
function lowestOf(name: string): number | undefined {
  if (/^below \S+$/.test(name)) return Number.NEGATIVE_INFINITY;
  const [low = ''] = /^\S+(?= to \S+$| and above$|$)/.exec(name) ?? [];
  return numberOf(low) ?? undefined;
}
