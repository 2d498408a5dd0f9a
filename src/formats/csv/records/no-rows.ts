import { type Dialect, parseRecords } from '../../../base/parse-records.ts';
import { writeRow } from '../../../base/write-row.ts';
import { RecordKind } from '../../records/batch.ts';
import { contentEnd } from '../../records/line-endings.ts';
import { isRejectsFile, rejectColumns } from '../../records/reject.ts';
import { looksLikeValue } from '../../refuse-row-as-header.ts';
import { fieldEnd } from '../fields/count-fields.ts';
import type { Header } from '../header.ts';

/** A byte order mark, and a line ending. */
const AROUND_BYTES = 5;
/** Quotes and spaces around a name. */
const AROUND_NAME = 4;
const SPACE = 0x20;
/** The values of fewer columns may well be their names in another letter case or order. */
const MIN_COLUMNS = 3;
/** Names such as `a` or `p1` are those of columns and of values alike. */
const MAX_LETTERS = 2;
const BOM = [0xef, 0xbb, 0xbf];

/**
 * Finds header lines among the records of a CSV: joined files have one for each of them. Most records are ruled out by
 * their length, or by their first two bytes.
 */
export class RepeatedHeader {
  readonly #dialect: Dialect;
  /** Of a record without a quoted field. */
  readonly #bare: Dialect;
  readonly #names: readonly string[];
  readonly #sorted: string;
  /** The names without what spellings of the same header may differ in. */
  readonly #plain: readonly string[];
  readonly #sortedPlain: string;
  readonly #plainOf: (field: string) => string;
  /** The bytes that names may begin with, and those that may be behind them. */
  readonly #first = new Uint8Array(256);
  readonly #second = new Uint8Array(256);
  /** What the first field may be. */
  readonly #firstTexts: Set<string>;
  readonly #quote: number | undefined;
  readonly #least: number;
  /** The most bytes of a header without a quoted field, and of one in which each name is quoted. */
  readonly #mostPlain: number;
  readonly #most: number;
  /** In a rejects file, the number of columns before those of the header that may be repeated. */
  readonly #before: number;

  private constructor(names: readonly string[], dialect: Dialect, before: number) {
    this.#dialect = dialect;
    this.#bare = { ...dialect, quote: undefined };
    this.#names = names;
    this.#before = before;
    this.#sorted = sortedText(names);
    // A row may well have the letters that columns are called by.
    const areTelling = names.length >= MIN_COLUMNS && names.some(name => name.trim().length > MAX_LETTERS);
    this.#plainOf = areTelling ? field => plainName(field, dialect.quote) : field => field;
    this.#plain = names.map(name => this.#plainOf(name));
    this.#sortedPlain = sortedText(this.#plain);
    this.#quote = dialect.quote?.charCodeAt(0);
    const sizes = names.map(name => Buffer.byteLength(name.trim()) + 1);
    this.#least = sizes.reduce((sum, size) => sum + size, -1);
    this.#mostPlain = AROUND_BYTES + this.#least + AROUND_NAME * names.length;
    this.#most = AROUND_BYTES + sizes.reduce((sum, size) => sum + 2 * size + AROUND_NAME, 0);
    // A name that has quotes of its own is looked at with them.
    const quoted =
      dialect.quote === undefined ? [] : names.map(name => writeRow([name], dialect).slice(0, -1));
    this.#firstTexts = new Set([...names, ...quoted].map(name => plainName(name, dialect.quote)));
    // Behind a name of one byte, or of none.
    const after = [dialect.delimiter, dialect.quote ?? '', ' \r\n'].join('');
    for (const text of this.#firstTexts)
      for (const spelling of [text, text.toUpperCase()]) {
        const [first = dialect.delimiter.charCodeAt(0), ...others] = Buffer.from(spelling);
        this.#first[first] = 1;
        if (spelling === '') this.#second.fill(1);
        for (const second of others.length > 0 ? others.slice(0, 1) : Buffer.from(after))
          this.#second[second] = 1;
      }
  }

  /** @returns undefined if a row may have these values */
  static of({ names, dialect }: Pick<Header, 'names' | 'dialect'>): RepeatedHeader | undefined {
    const before = isRejectsFile(names) ? rejectColumns.length : 0;
    const own = names.slice(before);
    if (!own.some(name => name !== '' && !looksLikeValue(name))) return undefined;
    return new RepeatedHeader(own, dialect, before);
  }

  /**
   * Whether the record `bytes[start, end)` is a header: with its names in their order, or in another one.
   *
   * @param kind of the record, which is neither blank nor malformed
   */
  find(bytes: Buffer, start: number, end: number, kind: RecordKind): 'same' | 'other order' | undefined {
    const size = end - start;
    if (size < this.#least) return undefined;
    if (this.#before > 0) return this.#findRejected(bytes, start, end);
    if (size > (kind === RecordKind.plain ? this.#mostPlain : this.#most)) return undefined;
    const from = BOM.every((byte, index) => bytes[start + index] === byte) ? start + BOM.length : start;
    if (!this.#mayBeName(bytes, from, end)) return undefined;
    const content = contentEnd(bytes, from, end, this.#dialect);
    const own = kind === RecordKind.quoted ? this.#dialect : this.#bare;
    const first = bytes.toString('utf8', from, fieldEnd(bytes, from, content, own));
    if (!this.#firstTexts.has(plainName(first, this.#dialect.quote))) return undefined;
    const fields = this.#textOf(bytes.toString('utf8', from, content));
    if (fields.length !== this.#names.length) return undefined;
    if (this.#areNames(fields)) return 'same';
    if (fields.length < MIN_COLUMNS) return undefined;
    return sortedText(fields) === this.#sorted || sortedText(fields.map(this.#plainOf)) === this.#sortedPlain
      ? 'other order'
      : undefined;
  }

  /** In a rejects file, the columns of rowcast are before those of the header. */
  #findRejected(bytes: Buffer, start: number, end: number): 'same' | undefined {
    const content = contentEnd(bytes, start, end, this.#dialect);
    const text = bytes.toString('utf8', start, content);
    if (!text.toLowerCase().includes(this.#plain.at(-1)?.toLowerCase() ?? '')) return undefined;
    const fields = this.#textOf(text);
    if (fields.length !== this.#before + this.#names.length) return undefined;
    const own = fields.slice(this.#before);
    const [first = '', ...others] = own;
    return this.#areNames([first.replace(/^\ufeff/, ''), ...others]) ? 'same' : undefined;
  }

  /** Whether a record may begin with a name, after spaces and a quote. */
  #mayBeName(bytes: Buffer, start: number, end: number): boolean {
    let at = start;
    while (at < end && (bytes[at] === SPACE || bytes[at] === this.#quote)) at++;
    return (
      this.#first[bytes[at] as number] === 1 && (at + 1 >= end || this.#second[bytes[at + 1] as number] === 1)
    );
  }

  #areNames(fields: readonly string[]): boolean {
    const areSame = (names: readonly string[], texts: readonly string[]): boolean =>
      texts.every((text, index) => text === names[index]);
    if (areSame(this.#names, fields)) return true;
    // The same names in another order are not a repeated header, even if they differ from it in letter case alone.
    return sortedText(fields) !== this.#sorted && areSame(this.#plain, fields.map(this.#plainOf));
  }

  #textOf(text: string): string[] {
    return text === '' ? [''] : (parseRecords(text, this.#dialect)[0] ?? []);
  }
}

const sortedText = (names: readonly string[]): string => JSON.stringify([...names].sort());

/** A name without the spaces and quotes around it, in lower case. */
function plainName(field: string, quote: string | undefined): string {
  const text = field.trim();
  const isQuoted = quote !== undefined && text.length > 1 && text.startsWith(quote) && text.endsWith(quote);
  return (isQuoted ? text.slice(1, -1).trim() : text).toLowerCase();
}

/**
 * Finds records without any value, such as `;;;`, which spreadsheets write for the empty rows of a sheet, or with
 * spaces alone. All other records are ruled out by their first byte, or those of a rejects file by their last one.
 */
export class EmptyRecord {
  readonly #dialect: Dialect;
  /** How a record without a quoted field is read: quotes are data in it. */
  readonly #bare: Dialect;
  readonly #delimiter: number;
  readonly #quote: number | undefined;
  /** In a rejects file, the number of fields before those of the input. */
  readonly #before: number;

  private constructor(dialect: Dialect, before: number) {
    this.#dialect = dialect;
    this.#bare = { ...dialect, quote: undefined };
    this.#delimiter = dialect.delimiter.charCodeAt(0);
    this.#quote = dialect.quote?.charCodeAt(0);
    this.#before = before;
  }

  /** @returns undefined for a single column, in which an empty line is a missing value */
  static of({ names, dialect }: Pick<Header, 'names' | 'dialect'>): EmptyRecord | undefined {
    const before = isRejectsFile(names) ? rejectColumns.length : 0;
    return names.length - before > 1 ? new EmptyRecord(dialect, before) : undefined;
  }

  /**
   * Whether all fields of the record `bytes[start, end)` are empty, quoted or not, or spaces.
   *
   * @param kind of the record, which is neither blank nor malformed
   */
  is(bytes: Buffer, start: number, end: number, kind: RecordKind): boolean {
    if (this.#before === 0 && !this.#mayBeEmpty(bytes[start])) return false;
    const content = contentEnd(bytes, start, end, this.#dialect);
    if (!this.#mayBeEmpty(bytes[content - 1])) return false;
    const quote = kind === RecordKind.quoted ? this.#quote : undefined;
    let at = start;
    for (let field = 0; field < this.#before; field++)
      at = 1 + fieldEnd(bytes, at, content, quote === undefined ? this.#bare : this.#dialect);
    if (at > content) return false;
    for (; at < content; at++) {
      if (bytes[at] === quote && bytes[at + 1] === quote) at += 2;
      while (bytes[at] === SPACE && at < content) at++;
      if (at < content && bytes[at] !== this.#delimiter) return false;
    }
    return true;
  }

  #mayBeEmpty(byte: number | undefined): boolean {
    return byte === this.#delimiter || byte === SPACE || byte === this.#quote;
  }
}
