import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { suggestNames } from '../../base/suggest-names.ts';
import { textView, type WordView, wordView } from '../../formats/bytes/word-view.ts';
import { spellingsOf } from '../../formats/columns/column-encoder.ts';
import type { ColumnReader } from '../../formats/columns/kernel-column.ts';
import { isEqual } from '../../formats/columns/level-column.ts';
import { readerOf } from '../../formats/columns/reader-of.ts';
import type { Fields } from '../../formats/records/fields.ts';
import { isBlank } from '../../formats/values/coerce.ts';
import { UNKNOWN_LABEL } from './key-join.ts';

/** The label of a row that has none yet. */
export const NO_LABEL = Number.NaN;

/** Different texts that are remembered, and the most bytes of each. */
const MAX_TEXTS = 20;
const MAX_TEXT_BYTES = 100;

/** The labels of all rows that were read, by what they are. */
export interface LabelCounts {
  rows: number;
  /** Rows without a label. */
  missing: number;
  /** Rows whose label is no class, or no number. */
  unknown: number;
}

/** Reads labels: the index of a class, by its exact text, or a number. */
export class LabelReader {
  readonly counts: LabelCounts = { rows: 0, missing: 0, unknown: 0 };
  readonly #classes: readonly string[] | undefined;
  readonly #texts: readonly WordView[];
  readonly #nulls: ReadonlySet<string>;
  readonly #unknown = new Map<string, number>();

  /** @param classes undefined for numbers */
  constructor(classes: readonly string[] | undefined, nulls: readonly string[]) {
    this.#classes = classes;
    this.#texts = (classes ?? []).map(textView);
    this.#nulls = new Set(nulls);
  }

  /** What reads numbers in a memory; undefined for classes. */
  numbersIn(memory: BatchMemory | undefined): ColumnReader | undefined {
    if (this.#classes !== undefined) return undefined;
    return readerOf({ name: '', type: 'numerical', notation: 'point' }, 'numerical', memory);
  }

  /**
   * Reads the labels of a batch: for each row an index, a number, `NO_LABEL` or `UNKNOWN_LABEL`.
   *
   * @param into the label of row i is written to `into[at + i * step]`
   * @param numbers as of `numbersIn`
   */
  read(
    fields: Fields,
    column: number,
    { into, at, step }: { into: Float64Array; at: number; step: number },
    numbers: ColumnReader | undefined,
  ): void {
    const { rows, width, starts, ends } = fields;
    this.counts.rows += rows;
    numbers?.read(fields, column, into, at, step, 0, rows);
    const words = wordView(fields.bytes);
    for (let row = 0, field = column, to = at; row < rows; row++, field += width, to += step) {
      if (numbers !== undefined && !Number.isNaN(into[to])) continue;
      const start = starts[field] as number;
      const end = ends[field] as number;
      const index = numbers === undefined ? this.#classOf(words, start, end) : -1;
      into[to] = index >= 0 ? index : this.#otherLabel(words.bytes, start, end);
    }
  }

  /**
   * Labels that are no class but look like one, the most frequent first, and the class. Others are not named, because
   * they may be anything.
   */
  lookalikes(): { text: string; rows: number; name: string }[] {
    const names = this.#classes ?? [];
    const numbers = new Map(names.map((name, index) => [name, index + 1]));
    const spellings = spellingsOf(names);
    return [...this.#unknown]
      .sort(([, a], [, b]) => b - a)
      .flatMap(([text, rows]) => {
        const name = names[(spellings?.find(text, numbers) ?? 0) - 1] ?? suggestNames(text, names)[0];
        return name === undefined ? [] : [{ text, rows, name }];
      });
  }

  #classOf(words: WordView, start: number, end: number): number {
    const length = end - start;
    for (let index = 0; index < this.#texts.length; index++) {
      const text = this.#texts[index] as WordView;
      if (text.bytes.length === length && isEqual(text, 0, words, start, length)) return index;
    }
    return -1;
  }

  #otherLabel(bytes: Buffer, start: number, end: number): number {
    const text = bytes.toString('utf8', start, Math.min(end, start + MAX_TEXT_BYTES));
    if (isBlank(text) || this.#nulls.has(text)) {
      this.counts.missing++;
      return NO_LABEL;
    }
    this.counts.unknown++;
    if (this.#unknown.has(text) || this.#unknown.size < MAX_TEXTS)
      this.#unknown.set(text, (this.#unknown.get(text) ?? 0) + 1);
    return UNKNOWN_LABEL;
  }
}
