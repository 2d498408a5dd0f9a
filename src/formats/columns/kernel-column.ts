import type { Kernel } from '../../base/kernel/kernel.ts';
import { wordView } from '../bytes/word-view.ts';
import type { Fields } from '../records/fields.ts';
import type { ColumnReader } from './column-reader.ts';
import type { FallbackColumn } from './fallback-column.ts';

/** Where a column's fields and values are: addresses and steps in bytes. */
export interface KernelPlace {
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
export type ReadRows = (kernel: Kernel, place: KernelPlace, first: number, rows: number) => number;

/** Reads the common fields of a column with a kernel, and all others as `FallbackColumn` does. */
export class KernelColumn implements ColumnReader {
  readonly unrecognized: ColumnReader['unrecognized'];
  readonly #readRows: ReadRows;
  readonly #other: FallbackColumn;

  constructor(readRows: ReadRows, other: FallbackColumn) {
    this.#readRows = readRows;
    this.#other = other;
    this.unrecognized = other.unrecognized;
  }

  read(
    fields: Fields,
    index: number,
    values: Float64Array,
    at: number,
    step: number,
    from: number,
    to: number,
  ): void {
    const { placed, width, bytes, starts, ends } = fields;
    if (placed === undefined) {
      this.#other.read(fields, index, values, at, step, from, to);
      return;
    }
    const { kernel } = placed;
    const words = wordView(bytes);
    const place = {
      bytes: placed.bytes,
      starts: starts.byteOffset + index * starts.BYTES_PER_ELEMENT,
      ends: ends.byteOffset + index * ends.BYTES_PER_ELEMENT,
      fieldStep: width * starts.BYTES_PER_ELEMENT,
      values: values.byteOffset + at * values.BYTES_PER_ELEMENT,
      valueStep: step * values.BYTES_PER_ELEMENT,
    };
    kernel.missing.value = 0;
    kernel.unseen.value = 0;
    let row = this.#readRows(kernel, place, from, to);
    while (row < to) {
      const field = index + row * width;
      values[at + row * step] = this.#other.valueOf(words, starts[field] as number, ends[field] as number);
      row = this.#readRows(kernel, place, row + 1, to);
    }
    this.unrecognized.missing += kernel.missing.value;
    this.unrecognized.unseen += kernel.unseen.value;
  }
}
