import type { EncodedColumn, EngineModel } from './engine.ts';

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
