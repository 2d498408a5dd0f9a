import { codePointOrder } from '../api/order.ts';
import type { Value } from '../api/shapes.ts';
import { shown } from '../shown.ts';
import { type DateOrder, dateOrderOf, dateReader } from './dates.ts';
import { minLevelRows } from './engine.ts';
import { asCategory, asNumber, isBlank, numberOf } from './values.ts';

/** A column that a model uses. */
export type LearnedColumn =
  | { name: string; type: 'numerical' }
  | { name: string; type: 'date'; order: DateOrder }
  /** Levels by falling frequency; every other value counts as missing. */
  | { name: string; type: 'categorical'; levels: string[] };

/** What was decided of a history's columns. */
export interface LearnedColumns {
  columns: LearnedColumn[];
  /** Each one's place in the header. */
  places: number[];
  notes: string[];
}

/** A limit far above what a tree uses of a column, which bounds the size of a model. */
export const maxLevels = 256;

/** From here on a column's values are mostly its own: names, addresses, free text. */
const ownValuesShare = 0.5;

/** Which of day and month is first is worth a word: a date such as 03/04/2024 does not tell. */
const orderNotes: Readonly<Record<DateOrder, string>> = {
  ymd: '',
  dmy: ', the day before the month',
  mdy: ', the month before the day',
};

/**
 * Beside numbers and dates, and in no other column, these are ways to say that there is none: what people write, the
 * amounts that no float holds, and the date that MySQL has for none.
 */
const missingSpellings = new Set([
  ...['na', 'n/a', 'nan', 'null', 'none', '?', '-'],
  ...['inf', '+inf', '-inf', 'infinity', '+infinity', '-infinity'],
  ...['0000-00-00', '0000-00-00 00:00:00'],
]);

/** Digits with separators, perhaps with a currency or a percent sign: 1,234.50, 25,14, $220, 58.7%. */
const writtenAmount = /^[-+]?\p{Sc}? ?\d[\d.,'\s]*(?:\p{Sc}|%)?$/u;
const isWrittenAmount = (text: string): boolean => writtenAmount.test(text.trim());

/**
 * Decides which columns are used, as what. `rows` are those that may be learned from, in the file's order:
 * types and identifiers are judged by all of them, levels are counted in those of the `training` part only.
 */
export function learnColumns(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  training: readonly (readonly string[])[],
  predicted: number,
): LearnedColumns {
  const learned: LearnedColumns = { columns: [], places: [], notes: [] };
  header.forEach((name, place) => {
    if (place === predicted) return;
    const decision =
      nameProblem(header, name) ??
      learnColumn(
        name,
        rows.map(row => row[place] ?? ''),
        training.map(row => row[place] ?? ''),
      );
    if ('leftOut' in decision) {
      const which = name === '' ? `column ${place + 1}` : `"${shown(name)}"`;
      learned.notes.push(`Left out ${which}: ${decision.leftOut}.`);
      return;
    }
    learned.columns.push(decision.column);
    learned.places.push(place);
    if (decision.note !== undefined) learned.notes.push(decision.note);
  });
  return learned;
}

export type ColumnDecision = { column: LearnedColumn; note?: string } | { leftOut: string };

/** Decides one column by its values, with the same parts as `learnColumns`. */
export function learnColumn(
  name: string,
  values: readonly string[],
  training: readonly string[],
): ColumnDecision {
  const given = values.filter(value => !isBlank(value));
  const distinct = new Set(given).size;
  if (given.length === 0) return { leftOut: 'it is empty' };
  if (isNumerical(given)) {
    const numbers = given.map(numberOf).filter(value => value !== null);
    if (new Set(numbers).size === 1) return { leftOut: 'it has only one value' };
    if (countsRows(numbers)) return { leftOut: 'it numbers the rows, so it only identifies them' };
    return { column: { name, type: 'numerical' } };
  }
  if (distinct === 1) return { leftOut: 'it has only one value' };
  const dated = given.filter(value => !isMissingSpelling(value));
  const order = dateOrderOf(dated);
  if (order !== undefined) {
    if (new Set(dated.map(dateReader(order))).size === 1) return { leftOut: 'it has only one value' };
    return {
      column: { name, type: 'date', order },
      note: `"${shown(name)}" holds dates${orderNotes[order]}: it is learned from as days since 1970.`,
    };
  }
  if (distinct > given.length * ownValuesShare && !given.every(isDigits) && given.every(isWrittenAmount)) {
    return { leftOut: 'its numbers have separators or signs; write them plainly, such as 1234.5' };
  }
  if (distinct === given.length) return { leftOut: 'every value is its own, so it only identifies' };
  if (distinct > given.length * ownValuesShare) {
    return { leftOut: 'most values are their own, as in an identifier or free text' };
  }
  const frequent = frequentLevels(training);
  if (frequent.length < 2) {
    return { leftOut: `fewer than two of its values are in ${minLevelRows} rows of the training part` };
  }
  const column: LearnedColumn = { name, type: 'categorical', levels: frequent.slice(0, maxLevels) };
  if (frequent.length <= maxLevels) return { column };
  return {
    column,
    note: `Of "${shown(name)}" the ${maxLevels} most frequent values are used; the others count as missing.`,
  };
}

/** Turns a column's values, as they come in a request or a CSV, into the engine's. */
export function encoderOf(column: LearnedColumn): (value: Value) => number | null {
  if (column.type === 'numerical') return asNumber;
  if (column.type === 'date') return dateReader(column.order);
  const numbers = new Map(column.levels.map((level, i) => [level, i + 1]));
  // JSON has but one way to write a truth, where CSVs have True and TRUE too; of several the most frequent.
  const truths = new Map([...numbers].toReversed().map(([level, number]) => [level.toLowerCase(), number]));
  return value => {
    if (typeof value === 'boolean') return numbers.get(String(value)) ?? truths.get(String(value)) ?? null;
    const category = asCategory(value);
    return category === null ? null : (numbers.get(category) ?? null);
  };
}

function nameProblem(header: readonly string[], name: string): { leftOut: string } | undefined {
  if (name === '') return { leftOut: 'it has no name' };
  if (header.indexOf(name) !== header.lastIndexOf(name)) return { leftOut: 'its name is not its own' };
  return undefined;
}

const isDigits = (text: string): boolean => /^\d+$/.test(text.trim());

const isMissingSpelling = (text: string): boolean => missingSpellings.has(text.trim().toLowerCase());

/** Numbers, apart from ways to say that there is none; codes with leading zeros, such as 00420, are no numbers. */
function isNumerical(given: readonly string[]): boolean {
  let numbers = 0;
  for (const text of given) {
    if (numberOf(text) === null) {
      if (!isMissingSpelling(text)) return false;
    } else {
      if (/^\s*[+-]?0\d/.test(text)) return false;
      numbers++;
    }
  }
  return numbers > 0;
}

/** Whole numbers, no two alike, that rise or fall along the file or leave few gaps: a counter, not an amount. */
function countsRows(numbers: readonly number[]): boolean {
  if (!numbers.every(Number.isInteger) || new Set(numbers).size < numbers.length) return false;
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

function frequentLevels(training: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const value of training) {
    if (!isBlank(value)) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count >= minLevelRows)
    .sort((a, b) => b[1] - a[1] || codePointOrder(a[0], b[0]))
    .map(([level]) => level);
}
