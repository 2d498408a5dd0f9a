import type { EngineModel } from './engine.ts';

/**
 * A column as numbers, null for missing values. Numerical and date columns have finite values; a
 * categorical one has level numbers, from 1.
 */
export type EncodedColumn = (number | null)[];

/** Predicts rows whose values are given column by column. */
export function predictColumns(model: EngineModel, columns: readonly EncodedColumn[]): Float64Array {
  const width = columns.length;
  const rows = columns[0]?.length ?? 0;
  const values = new Float64Array(width * rows);
  columns.forEach((column, i) => {
    column.forEach((value, row) => {
      values[row * width + i] = value ?? Number.NaN;
    });
  });
  return model.predict(values, rows);
}
