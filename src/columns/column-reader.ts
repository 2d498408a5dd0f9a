import type { Fields } from '../formats/csv/fields/fields.ts';

/** Reads a column's fields as the numbers that a model knows. */
export interface ColumnReader {
  /** Writes a number for each row to `values`, from `at` in steps of `step`; NaN for a missing value. */
  read(fields: Fields, index: number, values: Float64Array, at: number, step: number): void;
}
