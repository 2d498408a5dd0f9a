import type { Fields } from '../../formats/csv/fields/fields.ts';
import type { LearnedColumn } from '../../reports/model/column-encoder.ts';
import { LevelColumn } from './level-column.ts';
import { NumberColumn } from './number-column.ts';
import { OtherColumn } from './other-column.ts';

/** Reads a column's fields as the numbers that a model knows. */
export interface ColumnReader {
  /** Writes a number for each row to `values`, from `at` in steps of `step`; NaN for a missing value. */
  read(fields: Fields, index: number, values: Float64Array, at: number, step: number): void;
}

/**
 * Reads values as the service does that gets them as JSON: `encodeValue` decides by the column's type whether a field is
 * a number or a string, and `encoderOf` what the model makes of it. The common ones are read from their bytes.
 *
 * @param type of the column, as `FeatureColumn` has it
 */
export function columnReader(column: LearnedColumn, type: string | undefined): ColumnReader {
  const other = new OtherColumn(column, type);
  if (column.type === 'numerical') return new NumberColumn(column.notation, other);
  if (column.type === 'categorical' && type === 'categorical') return new LevelColumn(column, other);
  return other;
}
