import { numberOf } from '../../formats/values/coerce.ts';

/**
 * The order in which to show classes, as indexes: by number if they are numbers, ranges of numbers as training with
 * `--bins` names them, or numbers after the same text, as in "type 2" and "type 10"; otherwise as in the report.
 */
export function classOrder(classes: readonly string[]): number[] {
  const indexes = [...classes.keys()];
  const lows = lowsOf(classes, '') ?? lowsOf(classes, commonText(classes));
  if (lows === undefined) return indexes;
  return indexes.sort((a, b) => (lows[a] ?? 0) - (lows[b] ?? 0));
}

function lowsOf(classes: readonly string[], prefix: string): number[] | undefined {
  const lows = classes.flatMap(name => lowestOf(name.slice(prefix.length)) ?? []);
  return lows.length === classes.length ? lows : undefined;
}

/** The text without digits with which all of them begin. */
function commonText([first = '', ...others]: readonly string[]): string {
  const [text = ''] = /^\D*/.exec(first) ?? [];
  let length = text.length;
  for (const other of others) while (!other.startsWith(text.slice(0, length))) length--;
  return text.slice(0, length);
}

/** The lower bound of "below 10", "10 to 20" or "20 and above"; undefined if it is none of them, nor a number. */
function lowestOf(name: string): number | undefined {
  if (/^below \S+$/.test(name)) return Number.NEGATIVE_INFINITY;
  const [low = ''] = /^\S+(?= to \S+$| and above$|$)/.exec(name) ?? [];
  return numberOf(low) ?? undefined;
}
