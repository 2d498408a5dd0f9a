import type { Value } from '../../base/contract/schemas.ts';
import { asCategory } from '../values/coerce.ts';
import type { DateOrder } from '../values/date-parts.ts';
import { type DatePiece, dateReader } from '../values/dates.ts';
import { type NumberNotation, numberReader } from '../values/numbers.ts';
import { spellingsOf } from './other-spellings.ts';

/** A column as the model uses it; a date column may become several. */
export type LearnedColumn =
  | { name: string; type: 'numerical'; notation: NumberNotation }
  | { name: string; type: 'date'; piece: DatePiece; order: DateOrder }
  | CategoricalColumn;

/**
 * A column of levels, in descending order of frequency. A value with spaces around a level counts as that level, and so does
 * another spelling of a whole number or of yes and no; see `spellingsOf`. Any other value counts as missing, unless the column
 * merges other values or has targets.
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

/** Converts a column's values from a request or a CSV to the engine's numbers. */
export function encoderOf(column: LearnedColumn): (value: Value) => number | null {
  if (column.type === 'numerical') return numberReader(column.notation);
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
