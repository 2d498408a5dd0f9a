import { type NumberNotation, readNumber } from '../../formats/values/numbers.ts';

/** Why a numeric column is useless for learning. */
type UninformativeNumbers = 'one value' | 'counter' | 'identifier';

/**
 * Whether a column's numbers are all equal, or merely count or identify the rows. Texts are parsed lazily, because for
 * most columns a few values rule out all of that.
 */
export function uninformativeNumbers(
  name: string,
  texts: readonly string[],
  notation: NumberNotation,
): UninformativeNumbers | undefined {
  const numbers = () => numbersOf(texts, notation);
  const [first] = numbers();
  if (all(numbers(), value => value === first)) return 'one value';
  if (!all(numbers(), Number.isInteger)) return undefined;
  const values = Float64Array.from(numbers());
  if (new Set(values).size < values.length) return undefined;
  if (countsRows(values)) return 'counter';
  return identifiesRows(name, values) ? 'identifier' : undefined;
}

function all(numbers: Iterable<number>, isTrue: (value: number) => boolean): boolean {
  for (const value of numbers) if (!isTrue(value)) return false;
  return true;
}

function* numbersOf(texts: readonly string[], notation: NumberNotation): Generator<number> {
  for (const text of texts) {
    const value = readNumber(text, notation);
    if (value !== null) yield value;
  }
}

/** A counter rather than an amount: distinct integers that rise or fall along the file, or that leave few gaps. */
function countsRows(numbers: Float64Array): boolean {
  let [lowest, highest, rises, falls] = [Infinity, -Infinity, true, true];
  numbers.forEach((value, i) => {
    lowest = Math.min(lowest, value);
    highest = Math.max(highest, value);
    const before = numbers[i - 1] ?? value;
    rises &&= value >= before;
    falls &&= value <= before;
  });
  return rises || falls || highest - lowest < 2 * numbers.length;
}

/** `id`, `customer_id`, `account no`: names of identifiers. */
const separate = /(?:^|[\s_.-])id$|[\s_.-](?:no|nr|number|key)$/i;
/** Names of identifiers in camel case: `CustomerId`. */
const joined = /[a-z](?:Id|ID|No|Nr|Number|Key)$/;

/** Where so many pairs of equal amounts are expected, chance leaves out all of them in one of 150 columns. */
const MIN_PAIRS = 5;
/** Amounts are rarely this large, or all of so many digits, without being rounded. */
const MIN_DIGITS = 6;
const MIN_RANGE = 1e7;
/** The critical value of the Kolmogorov–Smirnov test at a level of 0.001. */
const CRITICAL = 1.95;

/**
 * Whether distinct whole numbers, which are in no order, are identifiers rather than amounts. Amounts are rarely
 * distinct by nature: they are rounded, concentrated somewhere, or some of many rows are equal.
 */
function identifiesRows(name: string, numbers: Float64Array): boolean {
  const sorted = numbers.toSorted();
  const [low, high] = [sorted[0] ?? 0, sorted.at(-1) ?? 0];
  if (separate.test(name.trim()) || joined.test(name.trim())) return true;
  if (Math.max(-low, high) > Number.MAX_SAFE_INTEGER) return true;
  if (divisorOf(sorted, low) > 1) return false;
  const range = high - low;
  // Concentrated values would be equal even more often than those that are spread evenly.
  if (numbers.length ** 2 / (2 * range) >= MIN_PAIRS) return true;
  const digits = String(high).length;
  const isWide = range >= MIN_RANGE || (low >= 10 ** (digits - 1) && digits >= MIN_DIGITS);
  return isWide && isUniform(sorted);
}

/** The greatest common divisor of the values' distances: that of rounded amounts is what they are rounded to. */
function divisorOf(values: Float64Array, low: number): number {
  let divisor = 0;
  for (const value of values) {
    let [a, b] = [value - low, divisor];
    while (b > 0) [a, b] = [b, a % b];
    divisor = a;
    if (divisor === 1) break;
  }
  return divisor;
}

/** Whether values may be spread evenly over their range. */
function isUniform(sorted: Float64Array): boolean {
  const { length } = sorted;
  const [low, high] = [sorted[0] ?? 0, sorted.at(-1) ?? 0];
  let distance = 0;
  for (const [index, value] of sorted.entries()) {
    const expected = (value - low) / (high - low);
    distance = Math.max(
      distance,
      Math.abs((index + 1) / length - expected),
      Math.abs(expected - index / length),
    );
  }
  return distance * Math.sqrt(length) <= CRITICAL;
}
