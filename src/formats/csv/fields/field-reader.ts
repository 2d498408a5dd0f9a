import { isUtf8 } from 'node:buffer';
import { firstMatch, matches, repeatByte, type WordView, wordView } from '../../bytes/word-view.ts';
import type { Batch } from '../batch.ts';
import { contentEnd, type Dialect } from '../dialect.ts';
import { RecordKind } from '../records/scan-record.ts';
import { badQuoting, type Fault, notUtf8, raggedFaults } from './faults.ts';
import type { Fields } from './fields.ts';

/**
 * Finds the fields of batches. An unquoted field lies between delimiters, a quoted field without escaped quotes between its
 * quotes; one with escaped quotes is copied without them. A property test checks that the results equal those of
 * csv-parse.
 */
export class FieldReader {
  readonly #width: number;
  readonly #dialect: Dialect;
  readonly #delimiter: number;
  readonly #quote: number | undefined;
  readonly #ragged: (fields: number) => Fault;
  #starts = new Int32Array();
  #ends = this.#starts;

  /** @param width number of fields in a valid record */
  constructor(width: number, dialect: Dialect) {
    this.#width = width;
    this.#dialect = dialect;
    this.#ragged = raggedFaults(width);
    this.#delimiter = dialect.delimiter.charCodeAt(0);
    this.#quote = dialect.quote?.charCodeAt(0);
  }

  read(batch: Batch): Fields {
    const width = this.#width;
    const { bytes, ends, kinds } = batch;
    const words = wordView(bytes);
    const faults = new Map<number, Fault>();
    const escaped: number[] = [];
    const allUtf8 = isUtf8(bytes);
    // A record has at most one field more than bytes, so short records with a million columns need little memory.
    this.#reserve(Math.min(ends.length * width, bytes.length + ends.length));
    let rows = 0;
    let start = 0;
    for (let index = 0; index < ends.length; index++) {
      const end = ends[index] as number;
      const kind = kinds[index];
      if (kind === RecordKind.malformed) faults.set(index, badQuoting);
      else if (kind !== RecordKind.blank) {
        if (!allUtf8 && !isUtf8(bytes.subarray(start, end))) faults.set(index, notUtf8);
        else {
          const content = contentEnd(bytes, start, end, this.#dialect);
          const first = rows * width;
          const { length } = escaped;
          const fields =
            kind === RecordKind.quoted
              ? this.#findQuoted(bytes, start, content, first, escaped)
              : this.#findPlain(words, start, content, first);
          if (fields === width) rows++;
          else {
            faults.set(index, this.#ragged(fields));
            // The next record reuses its slots.
            escaped.length = length;
          }
        }
      }
      start = end;
    }
    return {
      ...{ rows, width, bytes: this.#unquote(bytes, escaped), faults },
      ...{ starts: this.#starts, ends: this.#ends },
    };
  }

  #reserve(fields: number): void {
    if (fields <= this.#starts.length) return;
    this.#starts = new Int32Array(fields);
    this.#ends = new Int32Array(fields);
  }

  /**
   * Stores the offsets of the fields of a record without quotes, from index `first` on, at most `width` of them.
   *
   * @returns the number of fields in the record
   */
  #findPlain({ view }: WordView, start: number, end: number, first: number): number {
    const starts = this.#starts;
    const ends = this.#ends;
    const delimiter = this.#delimiter;
    const delimiters = repeatByte(delimiter);
    const last = first + this.#width;
    let index = first;
    starts[index] = start;
    let at = start;
    for (; at + 4 <= end; at += 4)
      for (let found = matches(view.getInt32(at, true), delimiters); found !== 0; found &= found - 1) {
        const to = at + firstMatch(found);
        if (index < last) {
          ends[index] = to;
          starts[index + 1] = to + 1;
        }
        index++;
      }
    for (; at < end; at++)
      if (view.getUint8(at) === delimiter) {
        if (index < last) {
          ends[index] = at;
          starts[index + 1] = at + 1;
        }
        index++;
      }
    if (index < last) ends[index] = end;
    return index + 1 - first;
  }

  /**
   * The same for a record with quotes.
   *
   * @param escaped receives the indexes of fields with escaped quotes; their offsets include the quotes
   */
  #findQuoted(bytes: Buffer, start: number, end: number, first: number, escaped: number[]): number {
    const starts = this.#starts;
    const ends = this.#ends;
    const delimiter = this.#delimiter;
    const quote = this.#quote;
    const last = first + this.#width;
    let index = first;
    for (let at = start; ; at++) {
      let from = at;
      let to = at;
      if (bytes[at] === quote && at < end) {
        let isEscaped = false;
        for (to++; bytes[to] !== quote || bytes[to + 1] === quote; to++)
          if (bytes[to] === quote) {
            isEscaped = true;
            to++;
          }
        at = to + 1;
        if (!isEscaped) from++;
        else {
          to++;
          if (index < last) escaped.push(index);
        }
      } else {
        while (at < end && bytes[at] !== delimiter) at++;
        to = at;
      }
      if (index < last) {
        starts[index] = from;
        ends[index] = to;
      }
      index++;
      if (at >= end) return index - first;
    }
  }

  /** Appends the unescaped fields to the bytes, and updates their offsets. */
  #unquote(bytes: Buffer, indexes: readonly number[]): Buffer {
    if (indexes.length === 0) return bytes;
    let size = bytes.length;
    for (const index of indexes) size += (this.#ends[index] as number) - (this.#starts[index] as number);
    const all = Buffer.allocUnsafe(size);
    bytes.copy(all);
    let to = bytes.length;
    for (const index of indexes) {
      // Without the quotes around the field, and without every second one of those in it.
      const [first, last] = [(this.#starts[index] as number) + 1, (this.#ends[index] as number) - 1];
      this.#starts[index] = to;
      for (let at = first; at < last; at++) {
        const byte = bytes[at] as number;
        all[to++] = byte;
        if (byte === this.#quote) at++;
      }
      this.#ends[index] = to;
    }
    return all.subarray(0, to);
  }
}
