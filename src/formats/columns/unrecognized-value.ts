import type { Value } from '../../base/contract/schemas.ts';
import { isBlank } from '../values/coerce.ts';
import { isMissingSpelling } from '../values/missing-values.ts';
import type { LearnedColumn } from './column-encoder.ts';

/**
 * What is wrong with a value: it is missing, it does not fit the type of the column, or it is a category that the model
 * does not know, so the model learns nothing from it; or it is a known category only in another form, such as without the spaces around it.
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
