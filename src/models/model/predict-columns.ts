import type { EncodedColumn, EngineModel } from './engine.ts';

/** Rows predicted at once: all values of a large table would take gigabytes. */
const BLOCK_ROWS = 256;

/** Predicts rows whose values are given column by column. */
export function predictColumns(model: EngineModel, columns: readonly EncodedColumn[]): Float64Array {
  const rows = columns[0]?.length ?? 0;
  const { classCount } = model;
  const width = columns.length;
  const probabilities = new Float64Array(rows * classCount);
  const values = new Float64Array(Math.min(rows, BLOCK_ROWS) * width);
  for (let from = 0; from < rows; from += BLOCK_ROWS) {
    const count = Math.min(BLOCK_ROWS, rows - from);
    columns.forEach((column, i) => {
      for (let row = 0; row < count; row++) values[row * width + i] = column[from + row] ?? Number.NaN;
    });
    probabilities.set(model.predict(values.subarray(0, count * width), count), from * classCount);
  }
  return probabilities;
}
