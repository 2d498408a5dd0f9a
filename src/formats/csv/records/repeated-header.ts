import { type Dialect, parseRecords } from '../../../base/parse-records.ts';
import { writeRow } from '../../../base/write-row.ts';
import { contentEnd } from '../../records/line-endings.ts';
import { RecordKind } from '../../records/record-kind.ts';
import { isRejectsFile, rejectColumns } from '../../records/reject-columns.ts';
import { looksLikeValue } from '../../refuse-row-as-header.ts';
import { fieldEnd } from '../fields/malformed.ts';
import type { Header } from '../header.ts';

/** A byte order mark, and a line ending. */
const AROUND_BYTES = 5;
const BOM = [0xef, 0xbb, 0xbf];

/**
 * Finds header lines among the records of a CSV: joined files have one for each of them. Most records are ruled out by their
 * length, or by their first byte.
 */
export class RepeatedHeader {
  readonly #dialect: Dialect;
  /** Of a record without a quoted field. */
  readonly #bare: Dialect;
  readonly #names: readonly string[];
  readonly #sorted: string;
  /** The bytes that names begin with, and the names themselves, as Latin-1 texts. */
  readonly #first: Uint8Array;
  readonly #firstTexts: Set<string>;
  readonly #quote: number | undefined;
  readonly #least: number;
  /** The most bytes of a header in which each name is quoted. */
  readonly #most: number;
  /** In a rejects file, the number of columns before those of the header that may be repeated. */
  readonly #before: number;

  private constructor(names: readonly string[], dialect: Dialect, before: number) {
    this.#dialect = dialect;
    this.#bare = { ...dialect, quote: undefined };
    this.#names = names;
    this.#before = before;
    this.#sorted = sortedText(names);
    const bytes = names.map(name => Buffer.from(name));
    this.#least = bytes.reduce((sum, { length }) => sum + length + 1, -1);
    this.#most = AROUND_BYTES + bytes.reduce((sum, { length }) => sum + 2 * length + 3, 0);
    this.#first = new Uint8Array(256);
    const firsts = bytes.map(([byte = dialect.delimiter.charCodeAt(0)]) => byte);
    for (const byte of [...firsts, BOM[0] as number]) this.#first[byte] = 1;
    this.#quote = dialect.quote?.charCodeAt(0);
    // A name that has quotes of its own is looked at with them.
    const quoted =
      dialect.quote === undefined ? [] : names.map(name => writeRow([name], dialect).slice(0, -1));
    this.#firstTexts = new Set([...names, ...quoted].map(name => Buffer.from(name).toString('latin1')));
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
    const size = end - start - this.#least;
    if (this.#before > 0) return size > 0 ? this.#findRejected(bytes, start, end) : undefined;
    if (size < 0 || (kind === RecordKind.plain ? size > AROUND_BYTES : end - start > this.#most))
      return undefined;
    if (this.#first[bytes[bytes[start] === this.#quote ? start + 1 : start] as number] === 0)
      return undefined;
    const from = BOM.every((byte, index) => bytes[start + index] === byte) ? start + BOM.length : start;
    const isQuoted = bytes[from] === this.#quote;
    const content = contentEnd(bytes, from, end, this.#dialect);
    const own = kind === RecordKind.quoted ? this.#dialect : this.#bare;
    const first = bytes.toString('latin1', from, fieldEnd(bytes, from, content, own));
    const isName = this.#firstTexts.has(first) || (isQuoted && this.#firstTexts.has(first.slice(1, -1)));
    if (!isName) return undefined;
    const fields = this.#textOf(bytes.toString('utf8', from, content));
    if (fields.length !== this.#names.length) return undefined;
    if (fields.every((field, index) => field === this.#names[index])) return 'same';
    return sortedText(fields) === this.#sorted ? 'other order' : undefined;
  }

  /** In a rejects file, the columns of rowcast are before those of the header. */
  #findRejected(bytes: Buffer, start: number, end: number): 'same' | undefined {
    const { length } = this.#names;
    const [last = ''] = this.#names.slice(-1);
    const content = contentEnd(bytes, start, end, this.#dialect);
    if (!bytes.toString('utf8', start, content).includes(last)) return undefined;
    const fields = this.#textOf(bytes.toString('utf8', start, content));
    if (fields.length !== this.#before + length) return undefined;
    const own = fields
      .slice(this.#before)
      .map((field, index) => (index === 0 ? field.replace(/^\ufeff/, '') : field));
    return own.every((field, index) => field === this.#names[index]) ? 'same' : undefined;
  }

  #textOf(text: string): string[] {
    return text === '' ? [''] : (parseRecords(text, this.#dialect)[0] ?? []);
  }
}

const sortedText = (names: readonly string[]): string => JSON.stringify([...names].sort());
