import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { textView, type WordView, wordView } from '../../formats/bytes/word-view.ts';
import type { ColumnReader } from '../../formats/columns/kernel-column.ts';
import { isEqual } from '../../formats/columns/level-column.ts';
import { readerOf } from '../../formats/columns/reader-of.ts';
import { type Fields, textOf } from '../../formats/records/fields.ts';
import type { PredictedColumns } from './predicted-columns.ts';

/** The values of a column that have a group of their own; all other values share one group. */
export interface Groups {
  /** The number of a value, from 0. */
  of(value: string): number;
}

export interface ScoredReaderOptions {
  predicted: PredictedColumns;
  /** The index of a column of the file. */
  indexOf: (name: string) => number;
  groups: readonly { by: string; groups: Groups }[];
  memory: BatchMemory | undefined;
  /** Numbers of a row: those of `scoredWidth`, and perhaps more. */
  width: number;
}

/**
 * Reads the predictions of one file. The numbers of a row are its groups, the index of the predicted class or -1, and
 * its probabilities or its number, or NaN if the row has no prediction.
 */
export class ScoredReader {
  readonly #values: readonly { reader: ColumnReader; index: number }[];
  /** The place of the probability that the file does not have, or -1. */
  readonly #missing: number;
  readonly #label: number;
  readonly #classes: readonly WordView[];
  readonly #groups: readonly { groups: Groups; index: number }[];
  readonly width: number;

  constructor({ predicted, indexOf, groups, memory, width }: ScoredReaderOptions) {
    this.width = width;
    const { values, label, classes = [] } = predicted;
    this.#values = values.flatMap(name => {
      if (name === undefined) return [];
      const reader = readerOf({ name, type: 'numerical', notation: 'point' }, 'numerical', memory);
      return [{ reader, index: indexOf(name) }];
    });
    this.#missing = values.indexOf(undefined);
    this.#label = label === undefined ? -1 : indexOf(label);
    this.#classes = classes.map(textView);
    this.#groups = groups.map(({ by, groups }) => ({ groups, index: indexOf(by) }));
  }

  /** @param into memory for the numbers of all rows */
  read(fields: Fields, into: Float64Array): void {
    const { rows } = fields;
    const { width } = this;
    const first = this.#groups.length + 1;
    for (const [place, { groups, index }] of this.#groups.entries())
      for (let row = 0, to = place; row < rows; row++, to += width)
        into[to] = groups.of(textOf(fields, row, index));
    this.#readLabels(fields, into);
    let to = first;
    for (const { reader, index } of this.#values) {
      if (to === first + this.#missing) to++;
      reader.read(fields, index, into, to++, width, 0, rows);
    }
    if (this.#missing === -1) return;
    const [missing, other] = [first + this.#missing, first + 1 - this.#missing];
    for (let at = 0; at < rows * width; at += width) into[at + missing] = 1 - (into[at + other] as number);
  }

  #readLabels(fields: Fields, into: Float64Array): void {
    const { rows, width, bytes, starts, ends } = fields;
    const words = wordView(bytes);
    const classes = this.#classes;
    for (let row = 0, to = this.#groups.length; row < rows; row++, to += this.width) {
      into[to] = -1;
      if (this.#label === -1) continue;
      const field = row * width + this.#label;
      const start = starts[field] as number;
      const length = (ends[field] as number) - start;
      for (let index = 0; index < classes.length; index++) {
        const text = classes[index] as WordView;
        if (text.bytes.length !== length || !isEqual(text, 0, words, start, length)) continue;
        into[to] = index;
        break;
      }
    }
  }
}

/** The numbers of a row. */
export const scoredWidth = ({ classes, values }: PredictedColumns, groups: number): number =>
  groups + 1 + (values.length === 0 ? 0 : (classes?.length ?? 1));

/** What a tally gets of the numbers of a row, in one object for all rows. */
export function rowReader(
  predicted: PredictedColumns,
  groups: number,
): (numbers: Float64Array, at: number) => { values: Float64Array; label: number } {
  const values = new Float64Array(scoredWidth(predicted, groups) - groups - 1);
  const row = { values, label: -1 };
  return (numbers, at) => {
    row.label = numbers[at + groups] as number;
    for (let index = 0, from = at + groups + 1; index < values.length; index++, from++)
      values[index] = numbers[from] as number;
    return row;
  };
}
