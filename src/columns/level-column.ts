import { type WordView, wordView } from '../formats/bytes/word-view.ts';
import type { Fields } from '../formats/csv/fields/fields.ts';
import type { CategoricalColumn } from '../reports/model/column-encoder.ts';
import { isBlank } from '../reports/values/coerce.ts';
import type { ColumnReader } from './column-reader.ts';
import { hashOf, isEqual } from './hash.ts';
import type { OtherColumn } from './other-column.ts';

const SPACE = 0x20;
const DELETE = 0x7f;

/**
 * Reads a column's levels by their bytes: finds the level with the field's hash, and compares it with the field. Fields
 * that begin with a character that may be a space are read as `OtherColumn` does, because blank ones are missing.
 */
export class LevelColumn implements ColumnReader {
  readonly misfits: ColumnReader['misfits'];
  readonly #other: OtherColumn;
  /** The levels' bytes, one after the other; level i is `[offsets[i], offsets[i + 1])`. */
  readonly #texts: WordView;
  readonly #offsets: Int32Array;
  /** A hash table with open addressing. A slot has the number of a level, counted from 1, or 0 if it is empty. */
  readonly #slots: Int32Array;
  /** The number of each level, and of all other values. */
  readonly #numbers: Float64Array;
  readonly #unknown: number;

  constructor(column: CategoricalColumn, other: OtherColumn) {
    this.#other = other;
    this.misfits = other.misfits;
    const hasOthers = column.others === 'merged' || column.targets !== undefined;
    this.#unknown = hasOthers ? column.levels.length + 1 : Number.NaN;
    // If a level is listed twice, the last number counts. A lone surrogate cannot be in a valid CSV.
    const numbers = new Map(column.levels.map((level, i) => [level, i + 1]));
    // A blank value is missing, even if a level is.
    const levels = [...numbers].filter(
      ([level]) => Buffer.from(level).toString() === level && !isBlank(level),
    );
    const texts = levels.map(([level]) => Buffer.from(level));
    this.#texts = wordView(Buffer.concat(texts));
    this.#offsets = new Int32Array(texts.length + 1);
    this.#numbers = Float64Array.from([0, ...levels.map(([, number]) => number)]);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * texts.length + 2)));
    texts.forEach((text, i) => {
      this.#offsets[i + 1] = (this.#offsets[i] as number) + text.length;
      let slot = hashOf(wordView(text), 0, text.length) & (this.#slots.length - 1);
      while (this.#slots[slot] !== 0) slot = (slot + 1) & (this.#slots.length - 1);
      this.#slots[slot] = i + 1;
    });
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
    const [texts, offsets, slots, numbers] = [this.#texts, this.#offsets, this.#slots, this.#numbers];
    const mask = slots.length - 1;
    let place = at + from * step;
    for (let row = from, field = index + from * width; row < to; row++, field += width, place += step) {
      const start = starts[field] as number;
      const end = ends[field] as number;
      const length = end - start;
      if (length === 0) {
        this.misfits.missing++;
        values[place] = Number.NaN;
        continue;
      }
      let slot = hashOf(words, start, end) & mask;
      let level = slots[slot] as number;
      while (level !== 0) {
        const own = offsets[level - 1] as number;
        if ((offsets[level] as number) - own === length && isEqual(texts, own, words, start, length)) break;
        slot = (slot + 1) & mask;
        level = slots[slot] as number;
      }
      values[place] = level === 0 ? this.#unlisted(words, start, end) : (numbers[level] as number);
    }
  }

  /** The value of a field that is no level. */
  #unlisted(words: WordView, start: number, end: number): number {
    const first = words.bytes[start] as number;
    if (first <= SPACE || first >= DELETE) return this.#other.valueOf(words, start, end);
    this.misfits.unseen++;
    return this.#unknown;
  }
}
