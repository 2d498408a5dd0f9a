import { RowcastError } from '../../base/errors.ts';
import { countOf } from '../../base/number-text.ts';
import { writeRow } from '../../base/write-row.ts';
import { CR, contentEnd, countLines, LF } from '../records/line-endings.ts';
import { RecordKind } from '../records/record-kind.ts';
import { countFields } from './fields/count-fields.ts';
import { type Header, type HeaderOptions, refuseOtherText, startOfText } from './header.ts';
import { newScan, scanRecord } from './records/scan-record.ts';

/**
 * The header that an input without a header line would have, with the line ending of its first record.
 *
 * @param names the columns; `numbers` names them 1, 2 and so on, as many as the first record has fields
 * @param last whether `bytes` is the whole file
 * @returns undefined if more bytes are needed
 * @throws RowcastError `unsupported_format`, `bad_header`, `bad_option` if the first record has another number of fields
 */
export function headerOfNames(
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
