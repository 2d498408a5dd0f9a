import type { Fields } from '../records/fields.ts';
import type { Unrecognized } from './unrecognized-value.ts';

/** Reads a column's fields as the numbers that a model knows. */
export interface ColumnReader {
  /** The fields read so far with something wrong. */
  readonly unrecognized: Record<Unrecognized, number>;
  /**
   * Reads the rows `[from, to)`. Writes the number of row i to `values[at + i * step]`; NaN for a missing value.
   *
   * @param values in the memory of the kernel, if the fields are
   */
  read(
    fields: Fields,
    index: number,
    values: Float64Array,
    at: number,
    step: number,
    from: number,
    to: number,
  ): void;
}
