/**
 * Spellings of a missing value in a column of numbers or dates, in lower case; in a categorical column they are
 * levels like any other. These are the defaults of pandas.read_csv (`na_values`) and of H2O Driverless AI
 * (`missing_values`), Excel's error values, infinities, and MySQL's zero date.
 */
const spellings = new Set([
  ...[
    'na',
    'n/a',
    'n.a.',
    'n.a',
    'nan',
    'null',
    'none',
    'nil',
    'unknown',
    'missing',
    'not available',
    'undefined',
  ],
  ...['?', '-', '--', '.', '<na>', '#na', '#n/a n/a', '-nan', '1.#ind', '-1.#ind', '1.#qnan', '-1.#qnan'],
  ...['#n/a', '#value!', '#ref!', '#div/0!', '#num!', '#name?', '#null!'],
  ...['inf', '+inf', '-inf', 'infinity', '+infinity', '-infinity'],
  ...['0000-00-00', '0000-00-00 00:00:00'],
]);

/** Whether a text is a known missing-value spelling, ignoring case and surrounding spaces. */
export const isMissingSpelling = (text: string): boolean => spellings.has(text.trim().toLowerCase());

/**
 * Whether a number is a common placeholder for a missing value: -1, or only nines, such as -999 and 9999.
 * https://en.wikipedia.org/wiki/Sentinel_value
 */
const isPlaceholder = (value: number): boolean => value === -1 || /^-?9+$/.test(String(value));

/**
 * The placeholder among a column's numbers, if there is one: the smallest or largest, far from all others. A negative
 * one is far if no other number is negative; a positive one of two nines or more, if its distance to the next largest
 * number exceeds the range of all others.
 */
export function placeholderAmong(numbers: Iterable<number>): number | undefined {
  const sorted = Float64Array.from(numbers).sort();
  const [first, last] = [sorted[0] ?? 0, sorted.at(-1) ?? 0];
  const second = sorted.find(value => value > first);
  const beforeLast = sorted.findLast(value => value < last);
  if (second === undefined || beforeLast === undefined) return undefined;
  if (first < 0 && second >= 0 && isPlaceholder(first)) return first;
  if (last >= 99 && isPlaceholder(last) && last - beforeLast > beforeLast - first) return last;
  return undefined;
}
