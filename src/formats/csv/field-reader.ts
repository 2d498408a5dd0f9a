import { isUtf8 } from 'node:buffer';
import { parse } from 'csv-parse/sync';
import { firstMatch, matches, repeatByte, type WordView, wordView } from '../bytes/word-view.ts';
import type { Batch } from './batch.ts';
import { contentEnd, type Dialect } from './dialect.ts';
import { badQuoting, type Fault, notUtf8, raggedFaults } from './faults.ts';
import { RecordKind } from './scan-record.ts';

/** Where the fields of a batch lie: no field is text before somebody wants it to be. */
export interface Fields {
  /** Sound records: blank lines and malformed records have no fields. */
  readonly rows: number;
  /** Fields of each. */
  readonly width: number;
  /** The bytes of the batch, and after them fields that had to be unquoted. */
  readonly bytes: Buffer;
  /** Field f of row r is `bytes[starts[r * width + f], ends[r * width + f])`; written over by the next reading. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Index of a malformed record → what is wrong with it, in order. */
  readonly faults: ReadonlyMap<number, Fault>;
}

/**
 * Finds the fields of batches. A field that is not quoted lies between its delimiters, one whose quotes hold no
 * other quote between these; what csv-parse would say, and a property test holds it so. Fields with doubled quotes
 * go to csv-parse, all of a batch in one call.
 */
export class FieldReader {
  readonly #width: number;
  readonly #dialect: Dialect;
  readonly #delimiter: number;
  readonly #quote: number | undefined;
  readonly #ragged: (fields: number) => Fault;
  #starts = new Int32Array();
  #ends = this.#starts;

  /** @param width fields that a record must have */
  constructor(width: number, dialect: Dialect) {
    this.#width = width;
    this.#dialect = dialect;
    this.#ragged = raggedFaults(width);
    this.#delimiter = dialect.delimiter.charCodeAt(0);
    this.#quote = dialect.quote?.charCodeAt(0);
  }

  read(batch: Batch): Fields {
    const width = this.#width;
    const { bytes, kinds } = batch;
    const words = wordView(bytes);
    const faults = new Map<number, Fault>();
    const doubled: number[] = [];
    const allUtf8 = isUtf8(bytes);
    // A sound record has no more fields than bytes and one; of a million columns, a short one is reserved no more.
    this.#reserve(Math.min(batch.ends.length * width, bytes.length + batch.ends.length));
    let rows = 0;
    let start = 0;
    for (const [index, end] of batch.ends.entries()) {
      const kind = kinds[index];
      if (kind === RecordKind.malformed) faults.set(index, badQuoting);
      else if (kind !== RecordKind.blank) {
        if (!allUtf8 && !isUtf8(bytes.subarray(start, end))) faults.set(index, notUtf8);
        else {
          const content = contentEnd(bytes, start, end, this.#dialect);
          const first = rows * width;
          const { length } = doubled;
          const fields =
            kind === RecordKind.quoted
              ? this.#findQuoted(bytes, start, content, first, doubled)
              : this.#findPlain(words, start, content, first);
          if (fields === width) rows++;
          else {
            faults.set(index, this.#ragged(fields));
            // The next record has its places.
            doubled.length = length;
          }
        }
      }
      start = end;
    }
    const [starts, ends] = [this.#starts, this.#ends];
    return { rows, width, bytes: this.#unquote(bytes, doubled), starts, ends, faults };
  }

  #reserve(fields: number): void {
    if (fields <= this.#starts.length) return;
    this.#starts = new Int32Array(fields);
    this.#ends = new Int32Array(fields);
  }

  /**
   * Notes where the fields of a record without quotes lie, from place `first` on, as many as it may have.
   *
   * @returns how many fields it has
   */
  #findPlain({ view }: WordView, start: number, end: number, first: number): number {
    const starts = this.#starts;
    const ends = this.#ends;
    const delimiter = this.#delimiter;
    const delimiters = repeatByte(delimiter);
    const last = first + this.#width;
    let place = first;
    starts[place] = start;
    let at = start;
    for (; at + 4 <= end; at += 4)
      for (let found = matches(view.getInt32(at, true), delimiters); found !== 0; found &= found - 1) {
        const to = at + firstMatch(found);
        if (place < last) {
          ends[place] = to;
          starts[place + 1] = to + 1;
        }
        place++;
      }
    for (; at < end; at++)
      if (view.getUint8(at) === delimiter) {
        if (place < last) {
          ends[place] = at;
          starts[place + 1] = at + 1;
        }
        place++;
      }
    if (place < last) ends[place] = end;
    return place + 1 - first;
  }

  /**
   * Notes where the fields of a record with quotes lie, as `#findPlain` does.
   *
   * @param doubled gets the places of fields with doubled quotes, which are noted with their quotes
   */
  #findQuoted(bytes: Buffer, start: number, end: number, first: number, doubled: number[]): number {
    const starts = this.#starts;
    const ends = this.#ends;
    const delimiter = this.#delimiter;
    const quote = this.#quote;
    const last = first + this.#width;
    let place = first;
    for (let at = start; ; at++) {
      let from = at;
      let to = at;
      if (bytes[at] === quote && at < end) {
        let isDoubled = false;
        for (to++; bytes[to] !== quote || bytes[to + 1] === quote; to++)
          if (bytes[to] === quote) {
            isDoubled = true;
            to++;
          }
        at = to + 1;
        if (!isDoubled) from++;
        else {
          to++;
          if (place < last) doubled.push(place);
        }
      } else {
        while (at < end && bytes[at] !== delimiter) at++;
        to = at;
      }
      if (place < last) {
        starts[place] = from;
        ends[place] = to;
      }
      place++;
      if (at >= end) return place - first;
    }
  }

  /** The bytes with the unquoted fields behind them; the places of these fields are moved there. */
  #unquote(bytes: Buffer, places: readonly number[]): Buffer {
    if (places.length === 0) return bytes;
    const quoted = places.map(place => bytes.toString('utf8', this.#starts[place], this.#ends[place]));
    const parts = [bytes];
    let length = bytes.length;
    for (const [index, [field = '']] of parseRecords(`${quoted.join('\n')}\n`, this.#dialect).entries()) {
      const part = Buffer.from(field);
      const place = places[index] ?? 0;
      parts.push(part);
      this.#starts[place] = length;
      length += part.length;
      this.#ends[place] = length;
    }
    return Buffer.concat(parts, length);
  }
}

/** A field of a row as text. */
export function textOf({ width, bytes, starts, ends }: Fields, row: number, field: number): string {
  const place = row * width + field;
  return bytes.toString('utf8', starts[place], ends[place]);
}

/** The fields of a row as text. */
export function textsOf(fields: Fields, row: number): string[] {
  return Array.from({ length: fields.width }, (_, field) => textOf(fields, row, field));
}

/** csv-parse over whole records, with the settings that express the CSV rules of docs/design.md. */
export function parseRecords(text: string, dialect: Dialect): string[][] {
  return parse(text, {
    delimiter: dialect.delimiter,
    quote: dialect.quote ?? null,
    escape: dialect.quote ?? null,
    record_delimiter: dialect.loneCr ? ['\r\n', '\n', '\r'] : ['\r\n', '\n'],
    relax_quotes: true,
    relax_column_count: true,
  });
}
