import { RowcastError } from '../../base/errors.ts';
import { countOf } from '../../base/number-text.ts';
import { writeRow } from '../../base/write-row.ts';
import { enlargedBuffer } from '../bytes/word-view.ts';
import type { ColumnOptions } from '../output-columns.ts';
import type { ReadOptions } from '../read-options.ts';
import { RecordKind } from '../records/batch.ts';
import type { ByteSource } from '../records/byte-source.ts';
import { CR, contentEnd, countLines, LF } from '../records/line-endings.ts';
import { FIRST_NUMBER_BYTES } from '../required-numbers.ts';
import { dialectOf } from './dialect.ts';
import { countFields } from './fields/count-fields.ts';
import {
  type Header,
  type HeaderOptions,
  readBytes,
  readHeader,
  refuseOtherText,
  startOfText,
} from './header.ts';
import { newScan, scanRecord } from './records/scan-record.ts';

/** The result of reading a header. */
export interface Head {
  header: Header;
  /** Bytes that were read after the header. */
  rest: Buffer;
}

/**
 * Reads the header of a source.
 *
 * @returns the header, and the bytes that were read after it
 */
export async function readHead(
  source: Pick<ByteSource, 'name' | 'contentName' | 'decodedBy' | 'chunks'>,
  options: ReadOptions & Pick<ColumnOptions, 'writes'>,
): Promise<Head> {
  const { maxRecordBytes, maxColumns, names, loneCr, skipLines = 0 } = options;
  const dialect = dialectOf({ ...options, file: source.contentName });
  const limits = { dialect, file: source.name, maxRecordBytes, maxColumns, linesBefore: skipLines };
  const scan = newScan(0);
  let buffer: Buffer = Buffer.alloc(0);
  let length = 0;
  for (;;) {
    const { value, done } = await source.chunks.next();
    if (value !== undefined) {
      buffer = enlargedBuffer(buffer, length, value.length);
      length += value.copy(buffer, length);
    }
    const read = buffer.subarray(0, length);
    const from = afterLines(read, skipLines, done === true, limits);
    if (from === undefined) continue;
    const bytes = read.subarray(from);
    const { decodedBy } = source;
    const header =
      names === undefined
        ? readHeader(bytes, done === true, { ...limits, decodedBy, scan })
        : headerOfNames(names, bytes, done === true, { ...limits, decodedBy, loneCr, scan });
    if (header === undefined) continue;
    const before = from === 0 ? undefined : { bytes: Buffer.from(read.subarray(0, from)), lines: skipLines };
    const found = before === undefined ? header : { ...header, before };
    let rest: Buffer = read.subarray(readBytes(found).length);
    // Whatever the size of chunks is, the same rows show what is in the columns.
    while (options.writes?.hasNumbers && rest.length < FIRST_NUMBER_BYTES) {
      const more = await source.chunks.next();
      if (more.done) break;
      rest = Buffer.concat([rest, more.value]);
    }
    return { header: found, rest };
  }
}

/**
 * Offset after the first lines, each of which ends in LF, CRLF or a lone CR.
 *
 * @param last whether `bytes` is the whole file
 * @returns undefined if more bytes are needed
 * @throws RowcastError `bad_option` if there are not as many lines, or they are too long
 */
function afterLines(
  bytes: Buffer,
  count: number,
  last: boolean,
  { file, maxRecordBytes }: { file: string; maxRecordBytes: number },
): number | undefined {
  let at = 0;
  for (let lines = 0; lines < count; lines++) {
    while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at++;
    const endsHere = at < bytes.length && (bytes[at] === LF || at + 1 < bytes.length || last);
    if (!endsHere && at > Math.max(maxRecordBytes, MAX_BYTES))
      throw refused(`the lines are longer than ${countOf(at, 'byte')}`, file);
    if (!endsHere && last) throw refused(`the input has no more than ${countOf(lines + 1, 'line')}`, file);
    if (!endsHere) return undefined;
    at += bytes[at] === CR && bytes[at + 1] === LF ? 2 : 1;
  }
  return at;
}

/** Lines before a header are a title, notes or a licence. */
const MAX_BYTES = 1 << 20;

const refused = (what: string, file: string): RowcastError =>
  new RowcastError('bad_option', `--skip-lines: ${what}`, {
    location: { file },
    hint: 'Leave out only what is before the header.',
  });

/**
 * The header that an input without a header line would have, with the line ending of its first record.
 *
 * @param names the columns; `numbers` names them 1, 2 and so on, as many as the first record has fields
 * @param last whether `bytes` is the whole file
 * @returns undefined if more bytes are needed
 * @throws RowcastError `unsupported_format`, `bad_header`, `bad_option` if the first record has another number of
 *   fields
 */
function headerOfNames(
  names: readonly string[] | 'numbers',
  bytes: Buffer,
  last: boolean,
  options: HeaderOptions,
): Header | undefined {
  const { file, maxRecordBytes, scan = newScan(0) } = options;
  const start = startOfText(bytes, last);
  if (start === undefined) return undefined;
  refuseOtherText(bytes, options);
  // Blank lines do not tell how many columns there are.
  const first = names === 'numbers' ? afterBlankLines(bytes, start, options.loneCr === true) : start;
  if (first === bytes.length && !last && bytes.length <= maxRecordBytes) return undefined;
  scan.at = Math.max(scan.at, first);
  const end = scanRecord(scan, bytes, last, { ...options.dialect, loneCr: options.loneCr ?? true });
  // A record that is too long, or never ends, is reported when it is read.
  if (end === -1 && !last && bytes.length <= maxRecordBytes) return undefined;
  const record = bytes.subarray(0, end === -1 ? bytes.length : end);
  const loneCr = options.loneCr ?? (end !== -1 && record.at(-1) === 0x0d);
  const dialect = { ...options.dialect, loneCr };
  const content = end === -1 ? record.length : contentEnd(record, first, end, dialect);
  const isRow = content > first && scan.kind !== RecordKind.malformed && end !== -1;
  const bare = { ...dialect, quote: undefined };
  const hasNone = names === 'numbers' && first === bytes.length;
  const fields = hasNone
    ? 0
    : countFields(record, first, content, scan.kind === RecordKind.quoted ? dialect : bare);
  const given =
    names === 'numbers' ? Array.from({ length: fields }, (_, index) => `${index + 1}`) : [...names];
  if (isRow && fields !== given.length)
    throw new RowcastError(
      'bad_option',
      `--names has ${countOf(given.length, 'name')}, but the first record ${countOf(fields, 'field')}`,
      {
        location: { file, line: 1 + (options.linesBefore ?? 0) },
        hint: 'Name each column once, in order; check --delimiter.',
      },
    );
  const ending = content === record.length ? Buffer.from('\n') : record.subarray(content);
  const text = Buffer.from(writeRow(given, dialect).slice(0, -1));
  const header = Buffer.concat([bytes.subarray(0, start), text, ending]);
  return {
    bytes: header,
    instead: Buffer.from(bytes.subarray(0, start)),
    contentStart: start,
    contentEnd: header.length - ending.length,
    names: given,
    lines: countLines(header, 0, header.length, dialect),
    dialect,
  };
}

/** Offset of the first record that is not a blank line. */
function afterBlankLines(bytes: Buffer, start: number, loneCr: boolean): number {
  let at = start;
  for (;;) {
    if (bytes[at] === LF || (bytes[at] === CR && loneCr)) at++;
    else if (bytes[at] === CR && bytes[at + 1] === LF) at += 2;
    else return at;
  }
}
