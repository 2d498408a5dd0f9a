import type { Value } from '../../base/contract/schemas.ts';
import type { WordView } from '../bytes/word-view.ts';
import type { Fields } from '../records/fields.ts';
import { encoderOf, type LearnedColumn } from './column-encoder.ts';
import type { ColumnReader } from './column-reader.ts';

const QUOTE = 0x22;

/** Reads values of JSON: a field is the text of a string, whose escapes were replaced, or a number; it is empty for null. */
export class JsonColumn implements ColumnReader {
  /** Always 0: the service does not count the values of a batch. */
  readonly unrecognized = { missing: 0, mismatched: 0, unseen: 0, trimmed: 0 };
  readonly #encode: (value: Value) => number | null;

  constructor(column: LearnedColumn) {
    this.#encode = encoderOf(column);
  }

  read(
    { width, bytes, starts, ends }: Fields,
    index: number,
    values: Float64Array,
    at: number,
    step: number,
    from: number,
    to: number,
  ): void {
    for (let row = from; row < to; row++) {
      const field = index + row * width;
      values[at + row * step] = this.#valueOf(bytes, starts[field] as number, ends[field] as number);
    }
  }

  valueOf({ bytes }: WordView, start: number, end: number): number {
    return this.#valueOf(bytes, start, end);
  }

  #valueOf(bytes: Buffer, start: number, end: number): number {
    return this.#encode(jsonValue(bytes, start, end)) ?? Number.NaN;
  }
}

function jsonValue(bytes: Buffer, start: number, end: number): Value {
  if (bytes[start - 1] === QUOTE) return bytes.toString('utf8', start, end);
  return start === end ? null : Number(bytes.toString('latin1', start, end));
}
