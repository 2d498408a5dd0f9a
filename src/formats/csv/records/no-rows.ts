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

/** What a record is that is no row: a header, perhaps with its names in another order, or empty. */
export type FindNoRow = (
  bytes: Buffer,
  start: number,
  end: number,
  kind: RecordKind,
) => typeof RecordKind.header | typeof RecordKind.empty | 'other order' | undefined;

/**
 * Finds what is no row among the records of a CSV.
 *
 * @returns a function of a record `bytes[start, end)` and its kind, which is neither blank nor malformed
 */
export function noRowFinder({ names, dialect }: Pick<Header, 'names' | 'dialect'>): FindNoRow {
  const before = isRejectsFile(names) ? rejectColumns.length : 0;
  const own = names.slice(before);
  // A row may have the values of others.
  const isTelling = own.some(name => name !== '' && !looksLikeValue(name));
  const repeated = isTelling ? repeatedHeaderFinder(own, dialect, before) : () => undefined;
  // In a single column, an empty line is a missing value.
  const isEmpty = own.length > 1 ? emptyRecordFinder(dialect, before) : () => false;
  return (bytes, start, end, kind) =>
    repeated(bytes, start, end, kind) ?? (isEmpty(bytes, start, end, kind) ? RecordKind.empty : undefined);
}

/**
 * Finds header lines: joined files have one for each of them. Most records are ruled out by their length, or by their
 * first two bytes.
 *
 * @param before in a rejects file, the number of columns before those of the header that may be repeated
 */
function repeatedHeaderFinder(names: readonly string[], dialect: Dialect, before: number): FindNoRow {
  /** Of a record without a quoted field. */
  const bare: Dialect = { ...dialect, quote: undefined };
  const quote = dialect.quote?.charCodeAt(0);
  const sorted = sortedText(names);
  // A row may well have the letters that columns are called by.
  const areTelling = names.length >= MIN_COLUMNS && names.some(name => name.trim().length > MAX_LETTERS);
  const plainOf = areTelling ? (field: string) => plainName(field, dialect.quote) : (field: string) => field;
  /** The names without what spellings of the same header may differ in. */
  const plain = names.map(plainOf);
  const sortedPlain = sortedText(plain);
  const sizes = names.map(name => Buffer.byteLength(name.trim()) + 1);
  const least = sizes.reduce((sum, size) => sum + size, -1);
  /** The most bytes of a header without a quoted field, and of one in which each name is quoted. */
  const mostPlain = AROUND_BYTES + least + AROUND_NAME * names.length;
  const most = AROUND_BYTES + sizes.reduce((sum, size) => sum + 2 * size + AROUND_NAME, 0);
  // A name that has quotes of its own is looked at with them.
  const quoted = dialect.quote === undefined ? [] : names.map(name => writeRow([name], dialect).slice(0, -1));
  /** What the first field may be. */
  const firstTexts = new Set([...names, ...quoted].map(name => plainName(name, dialect.quote)));
  /** The bytes that names may begin with, and those that may be behind them. */
  const [firstBytes, secondBytes] = [new Uint8Array(256), new Uint8Array(256)];
  // Behind a name of one byte, or of none.
  const after = [dialect.delimiter, dialect.quote ?? '', ' \r\n'].join('');
  for (const text of firstTexts)
    for (const spelling of [text, text.toUpperCase()]) {
      const [first = dialect.delimiter.charCodeAt(0), ...others] = Buffer.from(spelling);
      firstBytes[first] = 1;
      if (spelling === '') secondBytes.fill(1);
      for (const second of others.length > 0 ? others.slice(0, 1) : Buffer.from(after))
        secondBytes[second] = 1;
    }

  /** Whether a record may begin with a name, after spaces and a quote. */
  const mayBeName = (bytes: Buffer, start: number, end: number): boolean => {
    let at = start;
    while (at < end && (bytes[at] === SPACE || bytes[at] === quote)) at++;
    return (
      firstBytes[bytes[at] as number] === 1 && (at + 1 >= end || secondBytes[bytes[at + 1] as number] === 1)
    );
  };
  const areSame = (wanted: readonly string[], texts: readonly string[]): boolean =>
    texts.every((text, index) => text === wanted[index]);
  const areNames = (fields: readonly string[]): boolean =>
    areSame(names, fields) ||
    // The same names in another order are not a repeated header, even if they differ from it in letter case alone.
    (sortedText(fields) !== sorted && areSame(plain, fields.map(plainOf)));
  const fieldsOf = (text: string): string[] => (text === '' ? [''] : (parseRecords(text, dialect)[0] ?? []));

  /** In a rejects file, the columns of rowcast are before those of the header. */
  const findRejected: FindNoRow = (bytes, start, end) => {
    const text = bytes.toString('utf8', start, contentEnd(bytes, start, end, dialect));
    if (!text.toLowerCase().includes(plain.at(-1)?.toLowerCase() ?? '')) return undefined;
    const fields = fieldsOf(text);
    if (fields.length !== before + names.length) return undefined;
    const [first = '', ...others] = fields.slice(before);
    return areNames([first.replace(/^\ufeff/, ''), ...others]) ? RecordKind.header : undefined;
  };

  return (bytes, start, end, kind) => {
    const size = end - start;
    if (size < least) return undefined;
    if (before > 0) return findRejected(bytes, start, end, kind);
    if (size > (kind === RecordKind.plain ? mostPlain : most)) return undefined;
    const from = BOM.every((byte, index) => bytes[start + index] === byte) ? start + BOM.length : start;
    if (!mayBeName(bytes, from, end)) return undefined;
    const content = contentEnd(bytes, from, end, dialect);
    const own = kind === RecordKind.quoted ? dialect : bare;
    const first = bytes.toString('utf8', from, fieldEnd(bytes, from, content, own));
    if (!firstTexts.has(plainName(first, dialect.quote))) return undefined;
    const fields = fieldsOf(bytes.toString('utf8', from, content));
    if (fields.length !== names.length) return undefined;
    if (areNames(fields)) return RecordKind.header;
    const isSorted =
      fields.length >= MIN_COLUMNS &&
      (sortedText(fields) === sorted || sortedText(fields.map(plainOf)) === sortedPlain);
    return isSorted ? 'other order' : undefined;
  };
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
 *
 * @param before in a rejects file, the number of fields before those of the input
 */
function emptyRecordFinder(
  dialect: Dialect,
  before: number,
): (bytes: Buffer, start: number, end: number, kind: RecordKind) => boolean {
  /** How a record without a quoted field is read: quotes are data in it. */
  const bare: Dialect = { ...dialect, quote: undefined };
  const delimiter = dialect.delimiter.charCodeAt(0);
  const mark = dialect.quote?.charCodeAt(0);
  const mayBeEmpty = (byte: number | undefined): boolean =>
    byte === delimiter || byte === SPACE || byte === mark;
  return (bytes, start, end, kind) => {
    if (before === 0 && !mayBeEmpty(bytes[start])) return false;
    const content = contentEnd(bytes, start, end, dialect);
    if (!mayBeEmpty(bytes[content - 1])) return false;
    const quote = kind === RecordKind.quoted ? mark : undefined;
    let at = start;
    for (let field = 0; field < before; field++)
      at = 1 + fieldEnd(bytes, at, content, quote === undefined ? bare : dialect);
    if (at > content) return false;
    for (; at < content; at++) {
      if (bytes[at] === quote && bytes[at + 1] === quote) at += 2;
      while (bytes[at] === SPACE && at < content) at++;
      if (at < content && bytes[at] !== delimiter) return false;
    }
    return true;
  };
}
