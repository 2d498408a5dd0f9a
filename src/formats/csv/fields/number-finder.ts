import type { Dialect } from '../../../base/parse-records.ts';
import { readDecimal } from '../../bytes/decimals.ts';
import type { Fault } from '../../records/faults.ts';
import { contentEnd } from '../../records/line-endings.ts';
import { doubleOf, notANumber } from '../../required-numbers.ts';
import type { Header } from '../header.ts';
import { countFields, fieldEnd } from './count-fields.ts';

/** Finds records with a text in a column that is written as numbers. */
export class NumberFinder {
  readonly #dialect: Dialect;
  readonly #quote: number | undefined;
  readonly #names: readonly string[];
  readonly #isNumber: readonly boolean[];
  readonly #nulls: ReadonlySet<string>;
  readonly #faults = new Map<number, Fault>();

  private constructor({ names, dialect }: Header, columns: readonly number[], nulls: readonly string[]) {
    this.#names = names;
    this.#dialect = dialect;
    this.#quote = dialect.quote?.charCodeAt(0);
    this.#nulls = new Set(nulls);
    this.#isNumber = Array.from({ length: Math.max(...columns) + 1 }, (_, column) =>
      columns.includes(column),
    );
  }

  /** @returns undefined if no column must have numbers */
  static of(header: Header): NumberFinder | undefined {
    const { numbers } = header;
    return numbers && new NumberFinder(header, numbers.columns, numbers.nulls);
  }

  /**
   * Whether the record `bytes[start, end)`, which is not malformed, has such a text. One with other faults has none.
   */
  isWrong(bytes: Buffer, start: number, end: number): boolean {
    return this.#wrongColumn(bytes, start, end) !== -1;
  }

  /** The fault of a record that has such a text. */
  faultOf(bytes: Buffer, start: number, end: number): Fault {
    const column = this.#wrongColumn(bytes, start, end);
    const fault = this.#faults.get(column) ?? notANumber(this.#names[column] ?? '');
    this.#faults.set(column, fault);
    return fault;
  }

  #wrongColumn(bytes: Buffer, start: number, end: number): number {
    const dialect = this.#dialect;
    const content = contentEnd(bytes, start, end, dialect);
    let at = start;
    for (const [column, isNumber] of this.#isNumber.entries()) {
      const after = fieldEnd(bytes, at, content, dialect);
      if (isNumber && !this.#isNumberAt(bytes, at, after))
        return countFields(bytes, start, content, dialect) === this.#names.length ? column : -1;
      if (after === content) return -1;
      at = after + 1;
    }
    return -1;
  }

  #isNumberAt(bytes: Buffer, start: number, end: number): boolean {
    const isQuoted = end > start && bytes[start] === this.#quote;
    const [from, to] = isQuoted ? [start + 1, end - 1] : [start, end];
    // A plain decimal; a text that stands for a missing number is none of another.
    if (from === to || !Number.isNaN(readDecimal(bytes, from, to))) return true;
    const text = bytes.toString('utf8', from, to);
    const { quote = '', escape: escaper = quote } = this.#dialect;
    const value = isQuoted && text.includes(escaper) ? text.replaceAll(escaper + quote, quote) : text;
    // What is not UTF-8 is another fault.
    return doubleOf(value, this.#nulls) !== undefined || value.includes('\ufffd');
  }
}
