import { type DateOrder, isYearFirst, partsOf } from './date-parts.ts';
import { daysOf } from './dates.ts';

/** A column's distinct texts, and how often each occurs. */
export type TextCounts = ReadonlyMap<string, number>;

export function countTexts(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/** An order of year, month and day, and the number of values that are dates in it. */
export interface OrderFound {
  order: DateOrder;
  dates: number;
  /** The other order of day and month, if the texts do not tell which of the two they are written in. */
  other?: DateOrder;
}

/**
 * The order in which most of these texts are dates; undefined if none is a date in any order. Ties go to the order in
 * which most of them are written, because 2024-03-04 is read in all of them; then to the one with the fewest distinct
 * years (for two-digit years), and since 03/04/2024 is ambiguous, to month first with slashes and day first otherwise.
 *
 * @param orders the orders to try; the first one is preferred
 */
export function dateOrderOf(
  texts: TextCounts,
  orders: readonly DateOrder[] = defaultOrders(texts),
): OrderFound | undefined {
  const found = orders.map(order => ({ order, dates: countDates(texts, order) }));
  const dates = Math.max(...found.map(each => each.dates));
  if (dates === 0) return undefined;
  const most = found.filter(each => each.dates === dates);
  const written = most.map(({ order }) => countWritten(texts, order));
  const best = most.filter((_, i) => written[i] === Math.max(...written));
  if (best.length === 1) return best[0];
  const years = best.map(({ order }) => distinctYears(texts, order));
  const chosen = best[years.indexOf(Math.min(...years))];
  const other = best.find(({ order }) => order === (chosen?.order === 'dmy' ? 'mdy' : 'dmy'))?.order;
  if (chosen === undefined || chosen.order === 'ymd' || other === undefined) return chosen;
  const differ = [...texts.keys()].some(text => daysOf(text, chosen.order) !== daysOf(text, other));
  return differ ? { ...chosen, other } : chosen;
}

function defaultOrders(texts: TextCounts): readonly DateOrder[] {
  const [sample = ''] = texts.keys();
  return sample.includes('/') ? ['mdy', 'dmy', 'ymd'] : ['dmy', 'mdy', 'ymd'];
}

function countDates(texts: TextCounts, order: DateOrder): number {
  let dates = 0;
  for (const [text, count] of texts) if (daysOf(text, order) !== null) dates += count;
  return dates;
}

/** The dates that are written in this order, without those that are read in every order. */
function countWritten(texts: TextCounts, order: DateOrder): number {
  const own = order === 'ymd' ? texts : new Map([...texts].filter(([text]) => !isYearFirst(text)));
  return countDates(own, order);
}

function distinctYears(texts: TextCounts, order: DateOrder): number {
  return new Set([...texts.keys()].map(text => partsOf(text, order)?.year)).size;
}
