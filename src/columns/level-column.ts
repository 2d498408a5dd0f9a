import { type WordView, wordView } from '../formats/bytes/word-view.ts';
import type { Fields } from '../formats/csv/fields/fields.ts';
import type { CategoricalColumn } from '../reports/model/column-encoder.ts';
import { isBlank } from '../reports/values/coerce.ts';
import type { ColumnReader } from './column-reader.ts';
import { type LevelTable, levelAt, levelTable } from './level-table.ts';
import type { OtherColumn } from './other-column.ts';

const SPACE = 0x20;
const DELETE = 0x7f;

/**
 * Reads a column's levels by their bytes. Fields that begin with a character that may be a space are read as `OtherColumn` does, because blank ones are missing.
 */
export class LevelColumn implements ColumnReader {
  readonly misfits: ColumnReader['misfits'];
  readonly #other: OtherColumn;
  readonly #levels: LevelTable;
  /** The number of each level, from the first on, and of all other values. */
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
    this.#levels = levelTable(levels.map(([level]) => Buffer.from(level)));
    this.#numbers = Float64Array.from(levels, ([, number]) => number);
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
    const [levels, numbers] = [this.#levels, this.#numbers];
    let place = at + from * step;
    for (let row = from, field = index + from * width; row < to; row++, field += width, place += step) {
      const start = starts[field] as number;
      const end = ends[field] as number;
      if (start === end) {
        this.misfits.missing++;
        values[place] = Number.NaN;
        continue;
      }
      const level = levelAt(levels, words, start, end);
      values[place] = level === -1 ? this.#unlisted(words, start, end) : (numbers[level] as number);
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
