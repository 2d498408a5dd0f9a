import { readDecimal } from '../../bytes/decimals.ts';
import type { Fault } from '../../records/faults.ts';
import { contentEnd } from '../../records/line-endings.ts';
import { doubleOf, notANumber } from '../../required-numbers.ts';
import type { Header } from '../header.ts';
import { countFields, fieldEnd } from './count-fields.ts';

/** Finds records with a text in a column that is written as numbers. */
export interface NumberFinder {
  /**
   * Whether the record `bytes[start, end)`, which is not malformed, has such a text. One with other faults has none.
   */
  isWrong(bytes: Buffer, start: number, end: number): boolean;
  /** The fault of a record that has such a text. */
  faultOf(bytes: Buffer, start: number, end: number): Fault;
}

/** @returns undefined if no column must have numbers */
export function numberFinder({ names, dialect, numbers }: Header): NumberFinder | undefined {
  if (numbers === undefined) return undefined;
  const mark = dialect.quote?.charCodeAt(0);
  const nulls = new Set(numbers.nulls);
  const isNumber = Array.from({ length: Math.max(...numbers.columns) + 1 }, (_, column) =>
    numbers.columns.includes(column),
  );
  const faults = new Map<number, Fault>();

  const isNumberAt = (bytes: Buffer, start: number, end: number): boolean => {
    const isQuoted = end > start && bytes[start] === mark;
    const [from, to] = isQuoted ? [start + 1, end - 1] : [start, end];
    // No value, or a decimal number; other spellings are looked at below.
    if (from === to || !Number.isNaN(readDecimal(bytes, from, to))) return true;
    const text = bytes.toString('utf8', from, to);
    const { quote = '', escape: escaper = quote } = dialect;
    const value = isQuoted && text.includes(escaper) ? text.replaceAll(escaper + quote, quote) : text;
    // What is not UTF-8 is another fault.
    return doubleOf(value, nulls) !== undefined || value.includes('\ufffd');
  };
  const wrongColumn = (bytes: Buffer, start: number, end: number): number => {
    const content = contentEnd(bytes, start, end, dialect);
    let at = start;
    for (const [column, isOne] of isNumber.entries()) {
      const after = fieldEnd(bytes, at, content, dialect);
      if (isOne && !isNumberAt(bytes, at, after))
        return countFields(bytes, start, content, dialect) === names.length ? column : -1;
      if (after === content) return -1;
      at = after + 1;
    }
    return -1;
  };

  return {
    isWrong: (bytes, start, end) => wrongColumn(bytes, start, end) !== -1,
    faultOf(bytes, start, end) {
      const column = wrongColumn(bytes, start, end);
      const fault = faults.get(column) ?? notANumber(names[column] ?? '');
      faults.set(column, fault);
      return fault;
    },
  };
}
