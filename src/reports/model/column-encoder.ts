import type { Value } from '../../contract/schemas.ts';
import { asCategory } from '../values/coerce.ts';
import type { DateReading } from '../values/date-parts.ts';
import { type DatePiece, dateReader } from '../values/dates.ts';
import { type NumberNotation, numberReader } from '../values/numbers.ts';

/** What a model learns from: a column, or a piece of one of dates. */
export type LearnedColumn =
  | { name: string; type: 'numerical'; notation: NumberNotation }
  | ({ name: string; type: 'date'; piece: DatePiece } & DateReading)
  | CategoricalColumn;

/** Levels by falling frequency; every other value counts as missing, unless others are merged or have targets. */
export type CategoricalColumn = {
  name: string;
  type: 'categorical';
  levels: string[];
  /** All other values are one more level. */
  others?: 'merged';
  /** The numbers that stand for each level, and last for all other values: one a score (target-encoding.ts). */
  targets?: number[][];
};

/** Turns a column's values, as they come in a request or a CSV, into the engine's. */
export function encoderOf(column: LearnedColumn): (value: Value) => number | null {
  if (column.type === 'numerical') return numberReader(column.notation);
  if (column.type === 'date') return dateReader(column, column.piece);
  const numbers = new Map(column.levels.map((level, i) => [level, i + 1]));
  // JSON booleans match True, TRUE and so on; where a history has several spellings, the most frequent one.
  const hasOthers = column.others === 'merged' || column.targets !== undefined;
  const other = hasOthers ? column.levels.length + 1 : null;
  const truths = new Map([...numbers].toReversed().map(([level, number]) => [level.toLowerCase(), number]));
  return value => {
    if (typeof value === 'boolean') return numbers.get(String(value)) ?? truths.get(String(value)) ?? other;
    const category = asCategory(value);
    return category === null ? null : (numbers.get(category) ?? other);
  };
}
