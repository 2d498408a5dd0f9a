import type { Value } from '../../base/contract/schemas.ts';
import { asCategory, isBlank } from '../values/coerce.ts';
import { type DateOrder, type DatePiece, dateReader } from '../values/dates.ts';
import { isMissingSpelling } from '../values/missing-values.ts';
import { type NumberNotation, numberReader } from '../values/numbers.ts';

/** A column as the model uses it; a date column may become several. */
export type LearnedColumn =
  | { name: string; type: 'numerical'; notation: NumberNotation }
  | { name: string; type: 'date'; piece: DatePiece; order: DateOrder }
  | CategoricalColumn;

/**
 * A column of levels, in descending order of frequency. A value with spaces around a level counts as that level, and so
 * does another spelling of a whole number or of yes and no; see `spellingsOf`. Any other value counts as missing,
 * unless the column merges other values or has targets.
 */
export type CategoricalColumn = {
  name: string;
  type: 'categorical';
  levels: string[];
  /** All other values form one more level. */
  others?: 'merged';
  /** Target encoding: the numbers for each level, and last for all other values; one per score. */
  targets?: number[][];
};

/**
 * Converts a column's values from a request or a CSV to the engine's numbers.
 *
 * @param isSingle whether the file has singles, whose shortest texts Python would not see
 */
export function columnEncoderOf(column: LearnedColumn, isSingle = false): (value: Value) => number | null {
  if (column.type === 'numerical') {
    const read = numberReader(column.notation);
    if (!(isSingle && column.notation === 'python')) return read;
    return value => {
      const number = read(value);
      return number === null ? null : Math.fround(number);
    };
  }
  if (column.type === 'date') return dateReader(column.order, column.piece);
  const numbers = new Map(column.levels.map((level, i) => [level, i + 1]));
  const trimmed = trimmedLevels(column.levels);
  const spellings = spellingsOf(column.levels);
  // JSON booleans match "True", "TRUE" and so on; the most frequent spelling wins.
  const hasOthers = column.others === 'merged' || column.targets !== undefined;
  const other = hasOthers ? column.levels.length + 1 : null;
  const booleans = new Map(
    [...numbers].toReversed().map(([level, number]) => [level.trim().toLowerCase(), number]),
  );
  return value => {
    if (typeof value === 'boolean') {
      const text = String(value);
      return numbers.get(text) ?? booleans.get(text) ?? spellings?.find(text, numbers) ?? other;
    }
    const category = asCategory(value);
    return category === null
      ? null
      : (numbers.get(category) ?? trimmed(category) ?? spellings?.find(category, numbers) ?? other);
  };
}

/** Finds the most frequent level that differs from a text only by the spaces around one of them. */
function trimmedLevels(levels: readonly string[]): (text: string) => number | undefined {
  let numbers: ReadonlyMap<string, number> | undefined;
  return text => {
    numbers ??= new Map(levels.map((level, i) => [level.trim(), i + 1] as const).reverse());
    return numbers.get(text.trim());
  };
}

/** How a value may be spelled that is one of a column's levels. */
interface OtherSpellings {
  /** How texts end that may be other spellings; undefined if any may be. */
  readonly ending: '.0' | undefined;
  /**
   * The number of the level that a text stands for, if none has this text.
   *
   * @param numbers of the levels, by their texts
   */
  find(text: string, numbers: ReadonlyMap<string, number>): number | undefined;
}

/**
 * Pairs of texts that mean yes and no, in any case: as CSV, JSON, Parquet, databases and data frames write booleans.
 */
const PAIRS = [
  ['true', 'false'],
  ['t', 'f'],
  ['yes', 'no'],
  ['y', 'n'],
  ['1', '0'],
  ['1.0', '0.0'],
] as const;
const MEANINGS: ReadonlyMap<string, boolean> = new Map(
  PAIRS.flatMap(([yes, no]) => [
    [yes, true],
    [no, false],
  ]),
);
const WHOLE = /^-?\d+$/;
const WITH_ZERO = /^-?\d+\.0$/;
const DECIMAL = /^-?\d+\.\d+$/;

/**
 * Finds out whether the levels of a column have other spellings. Two levels may mean yes and no, and of whole numbers,
 * data frames write `1` as `1.0` where other values of the column are missing. Among decimals, JSON and Parquet have `1`.
 *
 * @param levels numbered from 1
 */
export function spellingsOf(levels: readonly string[]): OtherSpellings | undefined {
  const meanings = levels.length === 2 ? levels.map(meaningOf) : [];
  const [first, second] = meanings;
  if (first !== undefined && second !== undefined && first !== second)
    return {
      ending: undefined,
      find(text) {
        const place = meanings.indexOf(meaningOf(text));
        return place === -1 ? undefined : place + 1;
      },
    };
  if (levels.length === 0) return undefined;
  if (levels.every(level => WHOLE.test(level)))
    return {
      ending: '.0',
      find: (text, numbers) => (WITH_ZERO.test(text) ? numbers.get(text.slice(0, -2)) : undefined),
    };
  if (levels.every(level => DECIMAL.test(level)))
    return {
      ending: undefined,
      find: (text, numbers) => (WHOLE.test(text) ? numbers.get(`${text}.0`) : undefined),
    };
  return undefined;
}

const meaningOf = (text: string): boolean | undefined => MEANINGS.get(text.trim().toLowerCase());

/**
 * What is wrong with a value: it is missing, it does not fit the type of the column, or it is a category that the model
 * does not know, so the model learns nothing from it; or it is a known category only in another form, such as without
 * the spaces around it.
 */
export type Unrecognized = 'missing' | 'mismatched' | 'unseen' | 'trimmed';

/** @param number what the column's encoder makes of the value */
export function unrecognizedOf(
  column: LearnedColumn,
  value: Value,
  number: number | null,
): Unrecognized | undefined {
  const isOther = column.type === 'categorical' && number !== null && number > column.levels.length;
  if (number !== null && !isOther) return isTrimmed(column, value, number) ? 'trimmed' : undefined;
  if (value === null || (typeof value === 'string' && isBlank(value))) return 'missing';
  if (column.type === 'categorical') return 'unseen';
  return typeof value === 'string' && isMissingSpelling(value) ? 'missing' : 'mismatched';
}

/** Levels are numbered from 1. */
const isTrimmed = (column: LearnedColumn, value: Value, number: number): boolean =>
  column.type === 'categorical' && typeof value === 'string' && column.levels[number - 1] !== value;
