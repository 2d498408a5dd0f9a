import { COMMAS, type Dialect, parseRecords } from '../../base/parse-records.ts';
import { writeRow } from '../../base/write-row.ts';
import { type Comparison, NOT_NAMED, type RecordAt } from '../comparison.ts';
import { type OutputColumns, ownNames } from '../output-columns.ts';
import { fieldEnd } from './fields/count-fields.ts';
import { type Header, type HeaderOptions, readHeader } from './header.ts';
import { keptContent, ownHeader } from './kept-records.ts';

/**
 * Compares a CSV with an output of it.
 *
 * @param file the name of the input, for messages
 */
export function csvComparison(
  header: Header,
  columns: OutputColumns | undefined,
  output: Header,
  file: string,
): Comparison {
  const { dialect } = header;
  const kept = columns?.kept;
  const names = ownNames(header, columns);
  const isAfterOthers = names.length > 0;
  const delimiter = dialect.delimiter.charCodeAt(0);
  const found: { -readonly [member in keyof RecordAt]: RecordAt[member] } = {
    bytes: Buffer.alloc(0),
    start: 0,
    contentEnd: 0,
  };
  const restOf = ({ bytes, contentEnd }: RecordAt, at: number): RecordAt => {
    found.bytes = bytes;
    found.start = at;
    found.contentEnd = contentEnd;
    return found;
  };
  return {
    preserves: 'bytes',
    lineEnds: 'alike',
    ownNames: names,
    appended: appendedColumns(header, columns, output, file),
    endsAlike: columns?.hasHeader === false || endingOf(output).equals(endingOf(header)),
    dialect,
    own(record) {
      if (kept === undefined) return record;
      const { bytes, start, contentEnd } = record;
      const content = keptContent(bytes.subarray(start, contentEnd), dialect, kept);
      return { bytes: content, start: 0, contentEnd: content.length };
    },
    appendedOf(own, record) {
      if (!startsWith(record, own)) return undefined;
      const at = record.start + own.contentEnd - own.start;
      if (isAfterOthers && at < record.contentEnd && record.bytes[at] !== delimiter) return undefined;
      return restOf(record, at);
    },
    afterOwn(record) {
      const at = afterFields(record, names.length, dialect);
      return at === undefined ? undefined : restOf(record, at);
    },
    hasOwn(own, record) {
      const at = record.start + own.contentEnd - own.start;
      const isFieldsEnd = at === record.contentEnd || record.bytes[at] === delimiter;
      return isFieldsEnd && startsWith(record, own);
    },
    changedColumn(own, record) {
      const { bytes, start, contentEnd } = own;
      let same = 0;
      while (start + same < contentEnd && bytes[start + same] === record.bytes[record.start + same]) same++;
      let column = 0;
      let end = fieldEnd(bytes, start, contentEnd, dialect);
      while (end < start + same && end < contentEnd) {
        end = fieldEnd(bytes, end + 1, contentEnd, dialect);
        column++;
      }
      return column;
    },
  };
}

/** Where the first fields of a record end; undefined if there are fewer. */
function afterFields(
  { bytes, start, contentEnd }: RecordAt,
  fields: number,
  dialect: Dialect,
): number | undefined {
  let at = start;
  for (let field = 0; field < fields; field++) {
    if (field > 0 && at === contentEnd) return undefined;
    at = fieldEnd(bytes, field === 0 ? start : at + 1, contentEnd, dialect);
  }
  return at;
}

function startsWith(record: RecordAt, { bytes, start, contentEnd }: RecordAt): boolean {
  const end = record.start + contentEnd - start;
  if (end > record.contentEnd) return false;
  return bytes.compare(record.bytes, record.start, end, start, contentEnd) === 0;
}

const endingOf = ({ bytes, contentEnd }: Header): Buffer => bytes.subarray(contentEnd);

function appendedColumns(
  header: Header,
  columns: OutputColumns | undefined,
  output: Header,
  file: string,
): Comparison['appended'] {
  const { dialect } = header;
  const { length: kept } = ownNames(header, columns);
  if (columns?.hasHeader === false) return output.names.length - kept;
  const own = ownHeader(header, columns);
  const beginsAlike = output.bytes.subarray(0, own.length).equals(own);
  if (beginsAlike && output.contentEnd === own.length)
    return { wrong: `the header has no columns besides those of ${file}` };
  const separator = kept > 0 ? dialect.delimiter : '';
  if (!beginsAlike || !output.bytes.subarray(own.length).toString('latin1').startsWith(separator))
    return { wrong: `the header does not start with that of ${file}` };
  const appended = output.names.slice(kept);
  const written = separator + writeRow(appended, dialect).slice(0, -1);
  const isAsWritten = output.bytes.subarray(own.length, output.contentEnd).equals(Buffer.from(written));
  return isAsWritten ? appended : { wrong: NOT_NAMED };
}

interface ComparedCells {
  /** The name of the CSV, for messages. */
  readonly file: string;
  /** What the output has of the text of a field in its column at this place; by default the same text. */
  cellOf?(text: string, place: number): string;
}

/**
 * Compares a CSV with the text of a file of another format that was made of it, by the values of its fields.
 *
 * @param output the header of that text, which has commas
 */
export function cellComparison(
  header: Header,
  columns: OutputColumns | undefined,
  output: Header,
  { file, cellOf = textCell }: ComparedCells,
): Comparison {
  const names = ownNames(header, columns);
  const kept = columns?.kept ?? header.names.map((_, index) => index);
  const last = Math.max(-1, ...kept);
  const { dialect } = header;
  const cell = (field: string, place: number): string => {
    if (field === '') return '';
    const isQuoted = field[0] === dialect.quote;
    return cellOf(isQuoted ? (parseRecords(field, dialect)[0]?.[0] ?? '') : field, place);
  };
  return {
    ...(names.length === 0
      ? csvComparison(headerOf(['none']), { kept: [], rename: {}, hasHeader: true, file }, output, file)
      : csvComparison(headerOf(names), undefined, output, file)),
    preserves: 'values',
    // What is made of cells is no text, or has line feeds of its own.
    lineEnds: 'any',
    own({ bytes, start, contentEnd }) {
      const fields: string[] = [];
      for (let column = 0, at = start; column <= last; column++) {
        const end = fieldEnd(bytes, at, contentEnd, dialect);
        fields.push(bytes.toString('utf8', at, end));
        at = end + 1;
      }
      const content = Buffer.from(kept.map((index, place) => cell(fields[index] ?? '', place)).join(','));
      return { bytes: content, start: 0, contentEnd: content.length };
    },
  };
}

/** A text as a cell: in quotes if it needs them or is empty, because a missing value is empty without them. */
export function textCell(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The header of a CSV with commas that is these bytes, or has these columns. @param file for messages */
export function headerOf(
  header: readonly string[] | Buffer,
  { file = '', maxColumns }: Partial<Pick<HeaderOptions, 'file' | 'maxColumns'>> = {},
): Header {
  const bytes = Buffer.isBuffer(header) ? header : Buffer.from(writeRow(header));
  const maxRecordBytes = Number.POSITIVE_INFINITY;
  const read = readHeader(bytes, true, { dialect: COMMAS, file, maxRecordBytes, maxColumns });
  if (read === undefined) throw new Error('the header was not read');
  return read;
}
