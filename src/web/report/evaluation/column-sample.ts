import { columnEncoderOf, type LearnedColumn } from '../../../formats/columns/column-encoder.ts';
import { type Fields, textOf } from '../../../formats/records/fields.ts';
import { isBlank } from '../../../formats/values/coerce.ts';

/** What is typical of a column's values in the testing rows, which are a fifth of the labelled rows at random. */
export interface TypicalValues {
  /** Whether at least half of the rows have no value. */
  isMostlyMissing: boolean;
  /** Only for a column of numbers or dates (in days since 1970), and only if one of the rows has a value. */
  numbers: NumberProfile | undefined;
}

export interface NumberProfile {
  low: number;
  median: number;
  high: number;
  /** Whether all values are whole numbers. */
  isWhole: boolean;
}

/** Values kept of all columns together: 16 MB. */
const MAX_VALUES = 2_000_000;
/** However wide the table is, a median of fewer rows would be arbitrary. */
const MIN_ROWS = 100;

interface Sampled {
  name: string;
  /** Undefined for a column of categories, whose most frequent one the model knows. */
  encode: ((text: string) => number | null) | undefined;
  values: number[];
  given: number;
  rows: number;
}

/**
 * Profiles the columns of a model while the testing rows are read. Of wide tables only every second, fourth or further
 * row counts, so that memory does not grow with the file.
 */
export class ColumnSample {
  readonly #columns: readonly Sampled[];
  readonly #maxRows: number;
  /** Every `#step`-th row counts. */
  #step = 1;
  #row = 0;
  #counted = 0;

  constructor(learned: readonly LearnedColumn[], maxValues = MAX_VALUES) {
    const columns = new Map<string, Sampled>();
    for (const column of learned) {
      // A date may be several features; the first is the day.
      if (columns.has(column.name)) continue;
      const encode = column.type === 'categorical' ? undefined : columnEncoderOf(column);
      columns.set(column.name, { name: column.name, encode, values: [], given: 0, rows: 0 });
    }
    this.#columns = [...columns.values()];
    this.#maxRows = Math.max(MIN_ROWS, Math.floor(maxValues / Math.max(1, columns.size)));
  }

  /** @param indexes of the file's own columns by name; a name that is not unique has none */
  add(fields: Fields, indexes: ReadonlyMap<string, number>): void {
    for (let row = 0; row < fields.rows; row++, this.#row++) {
      if (this.#row % this.#step !== 0) continue;
      for (const sampled of this.#columns) {
        const index = indexes.get(sampled.name);
        if (index !== undefined) addValue(sampled, textOf(fields, row, index));
      }
      if (++this.#counted === this.#maxRows) this.#halve();
    }
  }

  /** By name. */
  profiles(): Map<string, TypicalValues> {
    return new Map(this.#columns.map(sampled => [sampled.name, profileOf(sampled)]));
  }

  #halve(): void {
    for (const sampled of this.#columns) sampled.values = sampled.values.filter((_, i) => i % 2 === 0);
    this.#counted = Math.ceil(this.#counted / 2);
    this.#step *= 2;
  }
}

function addValue(sampled: Sampled, text: string): void {
  sampled.rows++;
  const { encode, values } = sampled;
  if (encode === undefined) {
    if (!isBlank(text)) sampled.given++;
    return;
  }
  const value = encode(text);
  if (value === null) return;
  sampled.given++;
  values.push(value);
}

function profileOf({ values, given, rows }: Sampled): TypicalValues {
  return { isMostlyMissing: 2 * given <= rows, numbers: numberProfile(values) };
}

function numberProfile(values: readonly number[]): NumberProfile | undefined {
  const sorted = Float64Array.from(values).sort();
  // The lower one of two in the middle, because it occurs in the data.
  const median = sorted[(sorted.length - 1) >> 1];
  if (median === undefined) return undefined;
  return {
    low: sorted[0] ?? median,
    median,
    high: sorted.at(-1) ?? median,
    isWhole: sorted.every(Number.isInteger),
  };
}
