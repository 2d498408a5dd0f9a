import { isUtf8 } from 'node:buffer';
import { RowcastError } from '../../base/errors.ts';
import { counted, countOf } from '../../base/number-text.ts';
import { type Dialect, parseRecords } from '../../base/parse-records.ts';
import type { Layout } from '../format.ts';
import { RecordKind } from '../records/batch.ts';
import { contentEnd, countLines } from '../records/line-endings.ts';
import type { Position } from '../records/position.ts';
import { refuseUnsupported } from '../refuse-unsupported.ts';
import type { RequiredNumbers } from '../required-numbers.ts';
import { countFields } from './fields/count-fields.ts';
import { newScan, type Scan, scanRecord } from './records/scan-record.ts';

/** The header record of a CSV. */
export interface Header {
  /** The raw bytes, including BOM and line ending. */
  readonly bytes: Buffer;
  /**
   * If the input has no header line, what it has in its place: a BOM or nothing. `bytes` is then what it would have.
   */
  readonly instead?: Buffer;
  /** The lines before it that were left out. */
  readonly before?: { readonly bytes: Buffer; readonly lines: number };
  /** Offset in `bytes` after the BOM, if there is one. */
  readonly contentStart: number;
  /** Offset in `bytes` at which its line ending begins. */
  readonly contentEnd: number;
  readonly names: readonly string[];
  /** Number of lines. */
  readonly lines: number;
  /** The dialect, including the detected line ending. */
  readonly dialect: Dialect;
  /** The columns whose values must be numbers, if there are any. */
  readonly numbers?: RequiredNumbers | undefined;
}

export interface HeaderOptions {
  dialect: Dialect;
  /** The input's name, for messages only. */
  file: string;
  /** As of `PipedFile`, for messages only. */
  decodedBy?: readonly string[] | undefined;
  maxRecordBytes: number;
  /** The number of lines before it. */
  linesBefore?: number | undefined;
  /** By default a million: each column takes about a hundred bytes of memory while the file is read. */
  maxColumns?: number | undefined;
  /** Whether a lone CR ends the records of an input without a header line; by default, its first record tells. */
  loneCr?: boolean | undefined;
  /** State of the scan from an earlier call with fewer bytes; updated by each call. */
  scan?: Scan;
}

export const MAX_COLUMNS = 1_000_000;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Parses the header of a CSV from its first bytes.
 *
 * @param last whether `bytes` is the whole file
 * @returns undefined if more bytes are needed
 * @throws RowcastError `empty_input`, `unsupported_format`, `bad_header`, `too_many_columns`
 */
export function readHeader(bytes: Buffer, last: boolean, options: HeaderOptions): Header | undefined {
  const { file, maxRecordBytes, maxColumns = MAX_COLUMNS, linesBefore = 0, scan = newScan(0) } = options;
  const bad = (message: string, hint?: string): RowcastError =>
    new RowcastError('bad_header', message, {
      location: { file, line: 1 + linesBefore },
      ...(hint && { hint }),
    });

  const start = startOfText(bytes, last);
  if (start === undefined) return undefined;
  if (last && bytes.length === start)
    throw new RowcastError('empty_input', 'the input is empty', {
      isUnfinished: true,
      location: { file },
      hint: 'A CSV begins with a header that names its columns.',
    });
  refuseOtherText(bytes, options);

  // The line ending is not known yet. A lone CR also ends the header, and then it ends all records.
  scan.at = Math.max(scan.at, start);
  const end = scanRecord(scan, bytes, last, { ...options.dialect, loneCr: true });
  if ((end === -1 ? bytes.length : end) > maxRecordBytes)
    throw bad(
      `the header is longer than ${countOf(maxRecordBytes, 'byte')}`,
      'Use a larger --max-record-bytes.',
    );
  if (end === -1) {
    if (last) throw bad('a quote in the header is not closed', 'Close it, or use --quote none.');
    return undefined;
  }
  const record = bytes.subarray(0, end);
  if (scan.kind === RecordKind.malformed)
    throw bad(
      'text follows a closing quote in the header',
      hintOf(delimiterAfterQuote(record, options.dialect.quote)),
    );
  if (!isUtf8(record)) throw bad('the header is not valid UTF-8', encodingHint('windows-1252'));

  const loneCr = record.at(-1) === 0x0d;
  const dialect = { ...options.dialect, loneCr };
  const content = contentEnd(record, start, end, dialect);
  const columns = countFields(record, start, content, dialect);
  if (columns > maxColumns)
    throw new RowcastError(
      'too_many_columns',
      `the header has ${countOf(columns, 'column')}; the limit is ${counted(maxColumns)}`,
      {
        location: { file, line: 1 + linesBefore },
        hint: 'Keep only the columns that are needed.',
      },
    );
  return {
    bytes: Buffer.from(record),
    contentStart: start,
    contentEnd: content,
    names: content === start ? [''] : (parseRecords(record.toString('utf8', start), dialect)[0] ?? ['']),
    lines: countLines(record, 0, end, dialect),
    dialect,
  };
}

/** Offset after the byte order mark, if there is one; undefined if more bytes are needed. */
export function startOfText(bytes: Buffer, last: boolean): number | undefined {
  if (bytes.length < BOM.length && !last) return undefined;
  return bytes.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0;
}

/** @throws RowcastError `unsupported_format`, `bad_header` if a file is not a CSV in UTF-8, by its first bytes */
export function refuseOtherText(
  bytes: Buffer,
  { file, decodedBy }: Pick<HeaderOptions, 'file' | 'decodedBy'>,
): void {
  const encoding = utf16Of(bytes);
  if (encoding !== undefined)
    throw new RowcastError('bad_header', 'the file is UTF-16, not UTF-8', {
      location: { file, line: 1 },
      hint: encodingHint(encoding),
    });
  refuseUnsupported(bytes, { name: file, decodedBy }, 'CSV');
}

const encodingHint = (encoding: string): string =>
  `Name its encoding, such as --encoding ${encoding}, or convert it to UTF-8.`;

/**
 * The name of the encoding of a file that begins with the byte order mark of UTF-16, or with two ASCII characters in
 * it.
 */
function utf16Of([first, second, third, fourth]: Uint8Array): 'utf-16' | 'utf-16be' | undefined {
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return 'utf-16';
  const [inLittleEndian, inBigEndian] = [second === 0 && fourth === 0, first === 0 && third === 0];
  if (fourth === undefined || inLittleEndian === inBigEndian) return undefined;
  // Without a byte order mark, the order has to be said.
  return inBigEndian ? 'utf-16be' : 'utf-16';
}

/** The command that makes lines of records that end with a lone CR, for those commands that read lines. */
export const asLines = ({ dialect }: Pick<Header, 'dialect'>): string[] =>
  dialect.loneCr === true ? ["tr '\\r' '\\n'"] : [];

/** The header of a layout. @throws Error if it has another format */
export function headerOfLayout(layout: Layout): Header {
  if ('header' in layout) return layout.header as Header; // only a `CsvLayout` has one
  throw new Error('the files have different formats');
}

/** Where the first record after a header begins. */
export const afterHeader = (header: Header): Position => ({
  offset: readBytes(header).length,
  row: 1,
  line: 1 + (header.before?.lines ?? 0) + (header.instead === undefined ? header.lines : 0),
});

/** The bytes of the input before its first record. */
export function readBytes({ bytes, instead, before }: Header): Buffer {
  const own = instead ?? bytes;
  return before === undefined ? own : Buffer.concat([before.bytes, own]);
}

/** A hint if the header has a single column that looks like several. */
export function delimiterHint({ names }: Header): string | undefined {
  const [only] = names;
  const separator = excelSeparator(names);
  if (separator !== undefined)
    return `The first line names the delimiter for Excel: use --skip-lines 1${separator === '' ? '' : ` --delimiter ${separator === '\t' ? 'tab' : `'${separator}'`}`}.`;
  if (only === undefined || names.length > 1) return undefined;
  return hintOf(COMMON_DELIMITERS.find(character => only.includes(character)));
}

/** The delimiter that a line for Excel names, such as `sep=;`; empty if it is the one that the line was read with. */
export function excelSeparator(names: readonly string[]): string | undefined {
  const [first = '', second, ...others] = names;
  const [, separator] = /^sep=(.?)$/i.exec(first.trim()) ?? [];
  if (separator === undefined || others.length > 0) return undefined;
  if (second === undefined) return separator === '' ? undefined : separator;
  return separator === '' && second === '' ? '' : undefined;
}

/** Common delimiters of CSV files. */
export const COMMON_DELIMITERS = [',', ';', '\t', '|'] as const;
type CommonDelimiter = (typeof COMMON_DELIMITERS)[number];

/** The common delimiter that follows a closing quote, as in `"a";"b"` read with commas. */
function delimiterAfterQuote(record: Buffer, quote: string | undefined): CommonDelimiter | undefined {
  const text = record.toString('latin1');
  return COMMON_DELIMITERS.find(delimiter => text.includes(`${quote}${delimiter}`));
}

function hintOf(delimiter: CommonDelimiter | undefined): string | undefined {
  if (delimiter === undefined) return undefined;
  const name = delimiter === '\t' ? 'tab' : `'${delimiter}'`;
  return `The header looks as if its columns are separated by ${name}: try --delimiter ${name}.`;
}
