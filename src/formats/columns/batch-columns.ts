import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import type { Layout } from '../format.ts';
import type { Batch } from '../records/batch.ts';
import type { Fields } from '../records/fields.ts';

/** A batch's fields, and memory for the numbers that `ColumnReader`s make of them; until the next batch. */
export interface PlacedBatch {
  fields: Fields;
  values: Float64Array;
}

/** Places one batch after the other in the memory of a kernel, if it can have any. */
export class BatchColumns {
  readonly #memory: BatchMemory | undefined;
  /** Number of fields in a row. */
  readonly #fields: number;
  /** Whether a row has a byte for each field, and is not simply without some. */
  readonly #isFull: boolean;
  readonly #readFields: (batch: Batch) => Fields;
  #values = new Float64Array();

  /** @param memory of the kernel; without, everything is read in the general way */
  constructor(
    layout: Pick<Layout, 'names' | 'namesColumnsLater' | 'fieldReader'>,
    memory: BatchMemory | undefined,
  ) {
    this.#memory = memory;
    this.#fields = layout.names.length;
    this.#isFull = !layout.namesColumnsLater;
    this.#readFields = layout.fieldReader(memory);
  }

  /** @param width numbers for each row */
  place(batch: Batch, width: number): PlacedBatch {
    const memory = this.#memory;
    // There is a byte for each field, but for the end of the last line; blank lines of wide files need no memory.
    const most = this.#isFull ? Math.floor((batch.bytes.length + 1) / this.#fields) : batch.ends.length;
    const mostRows = Math.min(batch.ends.length, most);
    const size = mostRows * width;
    memory?.clear();
    const at = memory?.reserve(size * Float64Array.BYTES_PER_ELEMENT) ?? 0;
    const fields = this.#readFields(batch);
    if (memory !== undefined)
      return { fields, values: new Float64Array(memory.buffer, at, fields.rows * width) };
    if (this.#values.length < size) this.#values = new Float64Array(size);
    return { fields, values: this.#values.subarray(0, fields.rows * width) };
  }
}

/** Returns a function that empties a column's fields with one of these texts, because they stand for missing values. */
export function withoutNulls(nulls: readonly string[]): (fields: Fields, index: number) => void {
  if (nulls.length === 0) return () => {};
  const texts = nulls.map(text => Buffer.from(text));
  return ({ rows, width, bytes, starts, ends }, index) => {
    for (let row = 0, field = index; row < rows; row++, field += width) {
      const start = starts[field] as number;
      const end = ends[field] as number;
      if (
        texts.some(
          text => end - start === text.length && bytes.compare(text, 0, text.length, start, end) === 0,
        )
      )
        ends[field] = start;
    }
  };
}
