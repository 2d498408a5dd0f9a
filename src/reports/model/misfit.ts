import type { Value } from '../../contract/schemas.ts';
import { isBlank } from '../values/coerce.ts';
import { isMissingSpelling } from '../values/missing-values.ts';
import type { LearnedColumn } from './column-encoder.ts';

/**
 * Why a model learns nothing from a value: it is missing, it does not fit the type of the column, or it is a category
 * that the model does not know.
 */
export type Misfit = 'missing' | 'mismatched' | 'unseen';

/** @param number what the column's encoder makes of the value */
export function misfitOf(column: LearnedColumn, value: Value, number: number | null): Misfit | undefined {
  const isOther = column.type === 'categorical' && number !== null && number > column.levels.length;
  if (number !== null && !isOther) return undefined;
  if (value === null || (typeof value === 'string' && isBlank(value))) return 'missing';
  if (column.type === 'categorical') return 'unseen';
  return typeof value === 'string' && isMissingSpelling(value) ? 'missing' : 'mismatched';
}
