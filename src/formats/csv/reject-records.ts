import type { Dialect } from '../../base/parse-records.ts';
import { writeRow } from '../../base/write-row.ts';
import { type Reject, reasonText } from '../records/reject.ts';
import { rejectColumns } from '../records/reject-columns.ts';
import type { Header } from './header.ts';

const NOTHING = Buffer.alloc(0);
/** Maximum size of a row or line number and the delimiter after it. */
const NUMBER_BYTES = 17;

/** The header of a rejects file: our columns, then those of the input. */
export function rejectsHeaderText(header: Header): Buffer {
  const { bytes, contentStart, contentEnd, dialect } = header;
  return Buffer.concat([
    bytes.subarray(0, contentStart),
    Buffer.from(fieldsBefore(rejectColumns, dialect)),
    bytes.subarray(contentStart, contentEnd),
    rejectEnding(header),
  ]);
}

/**
 * Formats rejected records for the rejects file: row, line, code and reason, then the raw record.
 *
 * @param isFirst whether to write the header first
 */
export function rejectsText(rejects: readonly Reject[], header: Header, isFirst: boolean): Buffer {
  if (rejects.length === 0) return NOTHING;
  const { dialect } = header;
  const { delimiter } = dialect;
  const ending = rejectEnding(header);
  const head = rejectsHeaderText(header);
  const causes = causesOf(rejects, dialect);
  let size = head.length;
  for (const [index, { record }] of rejects.entries())
    size += 2 * NUMBER_BYTES + (causes[index]?.length ?? 0) + record.length + ending.length;
  // Written into one buffer, because all rows of a batch may be rejects.
  const text = Buffer.allocUnsafe(size);
  let at = isFirst ? head.copy(text) : 0;
  for (const [index, { row, line, record }] of rejects.entries()) {
    at += text.write(`${row}${delimiter}${line}${delimiter}`, at, 'latin1');
    at += causes[index]?.copy(text, at) ?? 0;
    at += record.copy(text, at);
    at += ending.copy(text, at);
  }
  return text.subarray(0, at);
}

/** The line ending of each record in the rejects file: the header's, or a line feed if it has none. */
export function rejectEnding({ bytes, contentEnd }: Header): Buffer {
  return contentEnd === bytes.length ? Buffer.from('\n') : bytes.subarray(contentEnd);
}

/** Each reject's code and reason as fields. Cached, because most rejects of a batch have the same. */
function causesOf(rejects: readonly Reject[], dialect: Dialect): Buffer[] {
  const known = new Map<string, Buffer>();
  return rejects.map(reject => {
    const key = `${reject.code}\n${reject.reason}`;
    const cause = known.get(key) ?? causeText(reject, dialect);
    known.set(key, cause);
    return cause;
  });
}

/** Code and reason as fields, followed by a delimiter. */
export function causeText(
  { code, ...why }: Pick<Reject, 'code' | 'reason' | 'hint'>,
  dialect: Dialect,
): Buffer {
  return Buffer.from(fieldsBefore([code, reasonText(why)], dialect));
}

/** In a dialect without quotes, characters that need them are replaced by a space, or by "_" if spaces separate fields. */
function fieldsBefore(fields: readonly string[], dialect: Dialect): string {
  const { delimiter, quote } = dialect;
  const plain = (field: string): string => {
    const text = field.replace(/[\r\n]/g, ' ').replaceAll(delimiter, ' ');
    return delimiter === ' ' ? text.replaceAll(' ', '_') : text;
  };
  const writable = quote === undefined ? fields.map(plain) : fields;
  return writeRow(writable, dialect).slice(0, -1) + delimiter;
}
