import { type NumberNotation, readNumber } from '../../reports/values/numbers.ts';

/** Why a numeric column is useless for learning. */
export type UninformativeNumbers = 'one value' | 'counter';

/**
 * Whether a column's numbers are all equal, or merely count the rows. Texts are parsed lazily, because for most columns
 * a few values rule out both.
 */
export function uninformativeNumbers(
  texts: readonly string[],
  notation: NumberNotation,
): UninformativeNumbers | undefined {
  const numbers = () => numbersOf(texts, notation);
  const [first] = numbers();
  if (all(numbers(), value => value === first)) return 'one value';
  return all(numbers(), Number.isInteger) && countsRows([...numbers()]) ? 'counter' : undefined;
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
function countsRows(numbers: readonly number[]): boolean {
  if (new Set(numbers).size < numbers.length) return false;
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
