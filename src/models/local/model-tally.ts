import type { LearnedColumn } from '../../formats/columns/column-encoder.ts';
import type { ColumnReader } from '../../formats/columns/kernel-column.ts';
import { type Batch, countRows } from '../../formats/records/batch.ts';
import type { Fault } from '../../formats/records/faults.ts';
import type { Counting } from '../../scoring/counting/counted-column.ts';
import { type Tally, TallyLayout } from '../../scoring/counting/tally.ts';
import type { Piece } from '../../scoring/merge/members.ts';

/** Rows of a batch, without the malformed ones. */
export interface RowRange {
  from: number;
  to: number;
}

/** Counts the values that a model takes. */
export class ModelTally {
  readonly layout: TallyLayout;
  /** By column of the model, its number among the counted ones. */
  readonly #numbers: Int32Array;

  constructor(counting: Counting, columns: readonly LearnedColumn[]) {
    this.layout = new TallyLayout(counting);
    const numbers = new Map(counting.columns.map(({ name }, number) => [name, number]));
    this.#numbers = Int32Array.from(columns, ({ name }) => {
      const number = numbers.get(name) ?? NOT_COUNTED;
      // A date may be several columns of the model; the first is the day.
      numbers.delete(name);
      return number;
    });
  }

  /** @param column of the model, whose values in a range of rows were just read */
  addValues(
    tally: Tally,
    column: number,
    values: Float64Array,
    place: { at: number; step: number; from: number; to: number },
  ): void {
    const number = this.#numbers[column] as number;
    if (number !== NOT_COUNTED) this.layout.addValues(tally, number, values, place);
  }

  /** Adds what the readers of the model's columns have come across since the last time. */
  addUnrecognized(tally: Tally, readers: readonly { reader: Pick<ColumnReader, 'unrecognized'> }[]): void {
    for (const [column, { reader }] of readers.entries()) {
      const number = this.#numbers[column] as number;
      if (number !== NOT_COUNTED) this.layout.addUnrecognized(tally, number, reader.unrecognized);
    }
  }
}

const NOT_COUNTED = -1;

/** The rows of each part of a batch. */
export function rowsOfParts(
  batch: Batch,
  faults: ReadonlyMap<number, Fault>,
  parts: readonly Piece[],
): RowRange[] {
  let from = 0;
  return parts.map(part => {
    let rows = countRows(batch, part.from, part.to);
    if (faults.size > 0) for (let i = part.from; i < part.to; i++) if (faults.has(i)) rows--;
    const range = { from, to: from + rows };
    from = range.to;
    return range;
  });
}
