import { isUtf8 } from 'node:buffer';
import type { BatchMemory } from '../../../base/kernel/batch-memory.ts';
import type { Dialect } from '../../../base/parse-records.ts';
import { firstMatch, matches, repeatByte, type WordView, wordView } from '../../bytes/word-view.ts';
import { type PlacedFields, placeFields } from '../../columns/place-records.ts';
import { type Batch, RecordKind, startOf } from '../../records/batch.ts';
import {
  badQuoting,
  emptyRecord,
  type Fault,
  notUtf8,
  raggedFaults,
  repeatedHeader,
} from '../../records/faults.ts';
import type { Fields } from '../../records/fields.ts';
import { contentEnd } from '../../records/line-endings.ts';
import { faultOfRecord } from './count-fields.ts';
import type { NumberFinder } from './number-finder.ts';

/**
 * Finds the fields of batches. An unquoted field lies between delimiters, a quoted field without escaped quotes between
 * its quotes; one with escaped quotes is copied without them. A property test checks that the results equal those of
 * csv-parse.
 */
export class FieldReader {
  readonly #width: number;
  readonly #dialect: Dialect;
  readonly #delimiter: number;
  readonly #quote: number | undefined;
  readonly #escape: number;
  readonly #memory: BatchMemory | undefined;
  readonly #ragged: (fields: number) => Fault;
  readonly #numbers: NumberFinder | undefined;
  #starts: Int32Array = new Int32Array();
  #ends = this.#starts;
  /** The records of the batch. */
  #records = 0;

  /**
   * @param width number of fields in a valid record
   * @param memory in which a kernel finds the fields of most records
   * @param numbers finds what is wrong in columns of numbers, if there are such columns
   */
  constructor(width: number, dialect: Dialect, memory?: BatchMemory, numbers?: NumberFinder) {
    this.#numbers = numbers;
    this.#width = width;
    // The kernel knows no other escape than a second quote.
    this.#memory = dialect.escape === undefined ? memory : undefined;
    this.#dialect = dialect;
    this.#ragged = raggedFaults(width);
    this.#delimiter = dialect.delimiter.charCodeAt(0);
    this.#quote = dialect.quote?.charCodeAt(0);
    this.#escape = dialect.escape?.charCodeAt(0) ?? -1;
  }

  read(batch: Batch): Fields {
    const width = this.#width;
    const { ends, kinds } = batch;
    const placed = this.#place(batch);
    const { bytes = batch.bytes } = placed ?? {};
    const words = wordView(bytes);
    const faults = new Map<number, Fault>();
    const escaped: number[] = [];
    const allUtf8 = isUtf8(bytes);
    let rows = 0;
    let start = 0;
    for (let index = 0; index < ends.length; index++) {
      if (allUtf8 && placed !== undefined) {
        const next = this.#findInKernel(placed, index, rows);
        rows += next - index;
        index = next;
        start = startOf(batch, index);
        if (index === ends.length) break;
      }
      const end = ends[index] as number;
      const kind = kinds[index];
      if (kind === RecordKind.malformed)
        faults.set(index, faultOfRecord(badQuoting, bytes, start, end, this.#dialect));
      else if (kind === RecordKind.header) faults.set(index, repeatedHeader);
      else if (kind === RecordKind.empty) faults.set(index, emptyRecord);
      else if (kind === RecordKind.notANumber && this.#numbers !== undefined)
        faults.set(index, this.#numbers.faultOf(batch.bytes, start, end));
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
            const fault = this.#ragged(fields);
            faults.set(index, faultOfRecord(fault, bytes, start, end, this.#dialect));
            // The next record reuses its slots.
            escaped.length = length;
          }
        }
      }
      start = end;
    }
    return {
      rows,
      width,
      bytes: this.#unquote(bytes, escaped, placed?.texts),
      faults,
      starts: this.#starts,
      ends: this.#ends,
      placed: placed?.records,
    };
  }

  /** Takes memory for the fields of a batch. */
  #place(batch: Batch): PlacedFields | undefined {
    const records = batch.ends.length;
    this.#records = records;
    // A record has at most one field more than bytes, so short records with a million columns need little memory.
    const fields = Math.min(records * this.#width, batch.bytes.length + records);
    const placed = placeFields(this.#memory, batch, fields);
    // Those of a batch before may be in the memory of the kernel, where other arrays of this batch are now.
    if (this.#memory !== undefined || fields > this.#starts.length)
      ({ starts: this.#starts, ends: this.#ends } = placed ?? {
        starts: new Int32Array(fields),
        ends: new Int32Array(fields),
      });
    return placed;
  }

  /**
   * Finds the fields of records, from `index` on, which are rows from `row` on.
   *
   * @returns the first record that is blank, malformed, without the right number of fields, or has an escaped quote
   */
  #findInKernel({ records, starts, ends }: PlacedFields, index: number, row: number): number {
    const first = row * this.#width * Int32Array.BYTES_PER_ELEMENT;
    return records.kernel.findFields(
      records.bytes,
      records.recordEnds,
      records.kinds,
      index,
      this.#records,
      this.#width,
      this.#delimiter,
      this.#quote ?? -1,
      Number(this.#dialect.loneCr),
      starts.byteOffset + first,
      ends.byteOffset + first,
    );
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
   * Finds the fields of a record with quotes.
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
        for (to++; ; to++)
          if (bytes[to] === quote || bytes[to] === this.#escape)
            if (this.#isEscaped(bytes, to)) {
              isEscaped = true;
              to++;
            } else if (bytes[to] === quote) break;
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

  /** Whether the byte after this one, within quotes, is a character that this one escapes. */
  #isEscaped(bytes: Buffer, at: number): boolean {
    const [byte, next] = [bytes[at], bytes[at + 1]];
    if (byte === this.#quote) return next === byte;
    return byte === this.#escape && (next === this.#quote || next === byte);
  }

  /**
   * Appends the unescaped fields to the bytes, and updates their offsets.
   *
   * @param texts memory that begins with the bytes, and is twice as long
   */
  #unquote(bytes: Buffer, indexes: readonly number[], texts?: Buffer): Buffer {
    if (indexes.length === 0) return bytes;
    const all = texts ?? Buffer.concat([bytes], this.#withUnescaped(bytes.length, indexes));
    let to = bytes.length;
    for (const index of indexes) {
      // Without the quotes around the field, and without what escapes those in it.
      const [first, last] = [(this.#starts[index] as number) + 1, (this.#ends[index] as number) - 1];
      this.#starts[index] = to;
      for (let at = first; at < last; at++) {
        if (this.#isEscaped(bytes, at)) at++;
        all[to++] = bytes[at] as number;
      }
      this.#ends[index] = to;
    }
    return all.subarray(0, to);
  }

  #withUnescaped(size: number, indexes: readonly number[]): number {
    return indexes.reduce((sum, i) => sum + (this.#ends[i] as number) - (this.#starts[i] as number), size);
  }
}
