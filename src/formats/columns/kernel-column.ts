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

/** A reader that can read any field, one after the other. */
export abstract class AnyField implements ColumnReader {
  readonly unrecognized = { missing: 0, mismatched: 0, unseen: 0, trimmed: 0 };

  /** The number of a field. */
  abstract valueOf(words: WordView, start: number, end: number): number;

  readonly read: ColumnReader['read'] = (fields, index, values, at, step, from, to) => {
    const { width, starts, ends } = fields;
    const words = wordView(fields.bytes);
    let place = at + from * step;
    for (let row = from, field = index + from * width; row < to; row++, field += width, place += step)
      values[place] = this.valueOf(words, starts[field] as number, ends[field] as number);
  };
}

/** Reads the common fields of a column with a kernel, and leaves all others to another reader. */
export class KernelColumn implements ColumnReader {
  readonly unrecognized: ColumnReader['unrecognized'];
  readonly #readRows: ReadRows;
  readonly #other: AnyField;

  constructor(readRows: ReadRows, other: AnyField) {
    this.#readRows = readRows;
    this.#other = other;
    this.unrecognized = other.unrecognized;
  }

  readonly read: ColumnReader['read'] = (fields, index, values, at, step, from, to) => {
    const { placed, width, bytes, starts, ends } = fields;
    if (placed === undefined) {
      this.#other.read(fields, index, values, at, step, from, to);
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
    let row = this.#readRows(kernel, addresses, from, to);
    if (row < to) {
      const words = wordView(bytes);
      while (row < to) {
        const field = index + row * width;
        values[at + row * step] = this.#other.valueOf(words, starts[field] as number, ends[field] as number);
        row = this.#readRows(kernel, addresses, row + 1, to);
      }
    }
    this.unrecognized.missing += kernel.missing.value;
    this.unrecognized.unseen += kernel.unseen.value;
  };
}

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
