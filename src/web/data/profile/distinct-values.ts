import { ValueTable } from '../../../formats/bytes/value-table.ts';

const MAX_VALUE_BYTES = 256;

/**
 * Counts the different values of a column, up to a limit: columns with more of them are amounts, names or texts. Values
 * are compared as bytes, because most fields need no text of their own.
 */
export class DistinctValues {
  readonly #most: number;
  /** Undefined if there are more values than the limit, or one of them is long: nothing is counted any more. */
  #table: ValueTable | undefined;
  /** By the index of the value in the table. */
  readonly #counts: number[] = [];

  constructor(most: number) {
    this.#most = most;
    this.#table = new ValueTable((most + 1) * MAX_VALUE_BYTES + 1);
  }

  /** Whether nothing is counted any more. */
  get isOver(): boolean {
    return this.#table === undefined;
  }

  get size(): number {
    return this.#counts.length;
  }

  add(bytes: Uint8Array, start: number, end: number): void {
    const index = end - start > MAX_VALUE_BYTES ? undefined : this.#table?.indexOf(bytes, start, end);
    if (index === undefined || index === this.#most) this.#table = undefined;
    else this.#counts[index] = (this.#counts[index] ?? 0) + 1;
  }

  /** The values and how often each occurs, the most frequent first; none if nothing is counted any more. */
  ranked(most: number): { text: string; count: number }[] {
    const order = this.#counts.map((_, index) => index);
    order.sort((a, b) => (this.#counts[b] ?? 0) - (this.#counts[a] ?? 0) || a - b);
    return order.slice(0, most).flatMap(index => {
      const text = this.#table?.at(index).toString();
      return text === undefined ? [] : [{ text, count: this.#counts[index] ?? 0 }];
    });
  }
}
