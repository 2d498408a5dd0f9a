import { type NumberNotation, readNumber } from '../../formats/values/numbers.ts';
import { identifiesRows } from './identifiers.ts';

/** Why a numeric column is useless for learning. */
export type UninformativeNumbers = 'one value' | 'counter' | 'identifier';

/**
 * Whether a column's numbers are all equal, or merely count or identify the rows. Texts are parsed lazily, because for most
 * columns a few values rule out all of that.
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
