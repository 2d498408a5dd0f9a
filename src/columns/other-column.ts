import { type WordView, wordView } from '../formats/bytes/word-view.ts';
import type { Fields } from '../formats/csv/fields/fields.ts';
import { encodeValue } from '../formats/json/encode-value.ts';
import { encoderOf, type LearnedColumn } from '../reports/model/column-encoder.ts';
import type { ColumnReader } from './column-reader.ts';
import { hashOf, isEqual } from './hash.ts';

/** Fields whose values are remembered, and their maximum size: dates and amounts repeat, texts do not. */
const SLOTS = 512;
const MAX_BYTES = 40;

/** Reads any field: dates, amounts with currencies, long numbers, spaces. It remembers the last values. */
export class OtherColumn implements ColumnReader {
  readonly #encode: ReturnType<typeof encoderOf>;
  readonly #type: string | undefined;
  /** By slot, the field's size and bytes, and its value. Created when it is first used. */
  #lengths = new Uint8Array();
  #texts = wordView(Buffer.alloc(0));
  #values = new Float64Array();

  constructor(column: LearnedColumn, type: string | undefined) {
    this.#encode = encoderOf(column);
    this.#type = type;
  }

  read(fields: Fields, index: number, values: Float64Array, at: number, step: number): void {
    const { rows, width, starts, ends } = fields;
    const words = wordView(fields.bytes);
    let to = at;
    for (let row = 0, field = index; row < rows; row++, field += width, to += step) {
      const start = starts[field] as number;
      const end = ends[field] as number;
      values[to] = start === end ? Number.NaN : this.valueOf(words, start, end);
    }
  }

  /** The value of a field that is not empty. */
  valueOf(words: WordView, start: number, end: number): number {
    const length = end - start;
    if (length > MAX_BYTES) return this.#decode(words.bytes, start, end);
    if (this.#lengths.length === 0) {
      this.#lengths = new Uint8Array(SLOTS);
      this.#texts = wordView(Buffer.alloc(SLOTS * MAX_BYTES));
      this.#values = new Float64Array(SLOTS);
    }
    const slot = hashOf(words, start, end) & (SLOTS - 1);
    const at = slot * MAX_BYTES;
    if (this.#lengths[slot] !== length || !isEqual(this.#texts, at, words, start, length)) {
      this.#values[slot] = this.#decode(words.bytes, start, end);
      this.#lengths[slot] = length;
      words.bytes.copy(this.#texts.bytes, at, start, end);
    }
    return this.#values[slot] as number;
  }

  #decode(bytes: Buffer, start: number, end: number): number {
    const json = encodeValue(bytes.toString('utf8', start, end), this.#type);
    return this.#encode(JSON.parse(json)) ?? Number.NaN;
  }
}
