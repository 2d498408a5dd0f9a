import type { Dialect } from '../../base/parse-records.ts';
import { writeRow } from '../../base/write-row.ts';
import { type Comparison, NOT_NAMED, type RecordAt } from '../comparison.ts';
import { type OutputColumns, ownNames } from '../output-columns.ts';
import { fieldEnd } from './fields/count-fields.ts';
import type { Header } from './header.ts';
import { keptContent } from './kept-records.ts';
import { ownHeader } from './own-header.ts';

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
