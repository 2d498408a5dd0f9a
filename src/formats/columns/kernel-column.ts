import type { Kernel } from '../../base/kernel/kernel.ts';
import { type WordView, wordView } from '../bytes/word-view.ts';
import type { Fields } from '../records/fields.ts';
import type { Unrecognized } from './column-encoder.ts';

/** Where a column's fields and values are: addresses and steps in bytes. */
export interface ColumnAddresses {
  bytes: number;
  starts: number;
  ends: number;
  fieldStep: number;
  values: number;
  valueStep: number;
}

/**
 * Reads the rows `[first, rows)`.
 *
 * @returns the first row that the kernel cannot read
 */
export type ReadRows = (kernel: Kernel, addresses: ColumnAddresses, first: number, rows: number) => number;

/** Reads any field of a column, one after the other. */
export interface AnyField {
  readonly unrecognized: ColumnReader['unrecognized'];
  /** The number of a field. */
  valueOf(words: WordView, start: number, end: number): number;
}

export const noneUnrecognized = () => ({ missing: 0, mismatched: 0, unseen: 0, trimmed: 0 });

/**
 * Reads a column.
 *
 * @param readRows reads the common fields with a kernel; all others are left to `other`, as are all without it
 */
export const columnOf = (other: AnyField, readRows?: ReadRows): ColumnReader => ({
  unrecognized: other.unrecognized,
  read(fields, index, values, at, step, from, to) {
    const { placed, width, bytes, starts, ends } = fields;
    let words: WordView | undefined;
    const readOther = (row: number): void => {
      words ??= wordView(bytes);
      const field = index + row * width;
      values[at + row * step] = other.valueOf(words, starts[field] as number, ends[field] as number);
    };
    if (placed === undefined || readRows === undefined) {
      for (let row = from; row < to; row++) readOther(row);
      return;
    }
    const { kernel } = placed;
    const addresses = {
      bytes: placed.bytes,
      starts: starts.byteOffset + index * starts.BYTES_PER_ELEMENT,
      ends: ends.byteOffset + index * ends.BYTES_PER_ELEMENT,
      fieldStep: width * starts.BYTES_PER_ELEMENT,
      values: values.byteOffset + at * values.BYTES_PER_ELEMENT,
      valueStep: step * values.BYTES_PER_ELEMENT,
    };
    kernel.missing.value = 0;
    kernel.unseen.value = 0;
    for (let row = readRows(kernel, addresses, from, to); row < to; ) {
      readOther(row);
      row = readRows(kernel, addresses, row + 1, to);
    }
    other.unrecognized.missing += kernel.missing.value;
    other.unrecognized.unseen += kernel.unseen.value;
  },
});

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
