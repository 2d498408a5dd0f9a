import type { Value } from '../../base/contract/schemas.ts';
import { type WordView, wordView } from '../bytes/word-view.ts';
import { encodeValue } from '../json/encode-value.ts';
import type { Fields } from '../records/fields.ts';
import { encoderOf, type LearnedColumn } from './column-encoder.ts';
import type { ColumnReader } from './column-reader.ts';
import { fieldHash, isEqual } from './hash.ts';
import { type Unrecognized, unrecognizedOf } from './unrecognized-value.ts';

/** Fields whose values are remembered, and their maximum size: dates and amounts repeat, texts do not. */
const SLOTS = 512;
const MAX_BYTES = 40;

interface Decoded {
  value: number;
  unrecognized: Unrecognized | undefined;
}

/** Reads any field: dates, amounts with currencies, long numbers, spaces. It remembers the last values. */
export class FallbackColumn implements ColumnReader {
  readonly unrecognized = { missing: 0, mismatched: 0, unseen: 0, trimmed: 0 };
  readonly #column: LearnedColumn;
  readonly #encode: ReturnType<typeof encoderOf>;
  readonly #type: string | undefined;
  /** By slot, the field's size and bytes, its value, and why there is none. Created when it is first used. */
  #lengths = new Uint8Array();
  #texts = wordView(Buffer.alloc(0));
  #values = new Float64Array();
  #unrecognized: (Unrecognized | undefined)[] = [];

  constructor(column: LearnedColumn, type: string | undefined) {
    this.#column = column;
    this.#encode = encoderOf(column);
    this.#type = type;
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
    const { width, starts, ends } = fields;
    const words = wordView(fields.bytes);
    let place = at + from * step;
    for (let row = from, field = index + from * width; row < to; row++, field += width, place += step)
      values[place] = this.valueOf(words, starts[field] as number, ends[field] as number);
  }

  /** The value of a field. */
  valueOf(words: WordView, start: number, end: number): number {
    const length = end - start;
    if (length === 0) {
      this.unrecognized.missing++;
      return Number.NaN;
    }
    if (length > MAX_BYTES) {
      const { value, unrecognized } = this.#decode(words.bytes, start, end);
      this.#count(unrecognized);
      return value;
    }
    if (this.#lengths.length === 0) {
      this.#lengths = new Uint8Array(SLOTS);
      this.#texts = wordView(Buffer.alloc(SLOTS * MAX_BYTES));
      this.#values = new Float64Array(SLOTS);
      this.#unrecognized = new Array(SLOTS);
    }
    const slot = fieldHash(words, start, end) & (SLOTS - 1);
    const at = slot * MAX_BYTES;
    if (this.#lengths[slot] !== length || !isEqual(this.#texts, at, words, start, length)) {
      const { value, unrecognized } = this.#decode(words.bytes, start, end);
      this.#values[slot] = value;
      this.#unrecognized[slot] = unrecognized;
      this.#lengths[slot] = length;
      words.bytes.copy(this.#texts.bytes, at, start, end);
    }
    this.#count(this.#unrecognized[slot]);
    return this.#values[slot] as number;
  }

  #count(unrecognized: Unrecognized | undefined): void {
    if (unrecognized !== undefined) this.unrecognized[unrecognized]++;
  }

  #decode(bytes: Buffer, start: number, end: number): Decoded {
    const sent: Value = JSON.parse(encodeValue(bytes.toString('utf8', start, end), this.#type));
    const number = this.#encode(sent);
    return { value: number ?? Number.NaN, unrecognized: unrecognizedOf(this.#column, sent, number) };
  }
}
