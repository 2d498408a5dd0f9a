import type { Dialect } from './dialect.ts';
import type { Header } from './header.ts';
import { rejectColumns } from './reject-columns.ts';
import { writeRow } from './write-row.ts';

/** A row that could not be scored. */
export interface Reject {
  /** Data row, 1-based; the header and blank lines are not counted. */
  row: number;
  /** Line of the input at which the record begins, 1-based. */
  line: number;
  code: string;
  reason: string;
  /** The record as it came, without its line ending: a copy, for who is told of a reject may keep it. */
  record: Buffer;
}

const NOTHING = Buffer.alloc(0);
/** Most bytes of a row's or line's number and of the delimiter after it. */
const NUMBER_BYTES = 17;

/** The header of a rejects file: the input's, behind our columns. */
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
 * Rejected records for the rejects file: as they came, behind what was wrong with each.
 *
 * @param isFirst whether the input's header goes before them
 */
export function rejectsText(rejects: readonly Reject[], header: Header, isFirst: boolean): Buffer {
  if (rejects.length === 0) return NOTHING;
  const { dialect } = header;
  const { delimiter } = dialect;
  const ending = rejectEnding(header);
  const head = rejectsHeaderText(header);
  const causes = causesOf(rejects, dialect);
  let most = head.length;
  for (const [index, { record }] of rejects.entries())
    most += 2 * NUMBER_BYTES + (causes[index]?.length ?? 0) + record.length + ending.length;
  // Written into one buffer: a batch may be nothing but rejects.
  const text = Buffer.allocUnsafe(most);
  let at = isFirst ? head.copy(text) : 0;
  for (const [index, { row, line, record }] of rejects.entries()) {
    at += text.write(`${row}${delimiter}${line}${delimiter}`, at, 'latin1');
    at += causes[index]?.copy(text, at) ?? 0;
    at += record.copy(text, at);
    at += ending.copy(text, at);
  }
  return text.subarray(0, at);
}

/** The line ending of each record in the rejects file: the header's, or a line feed where it has none. */
export function rejectEnding({ bytes, contentEnd }: Header): Buffer {
  return contentEnd === bytes.length ? Buffer.from('\n') : bytes.subarray(contentEnd);
}

/** Each reject's code and reason as its fields; most rejects of a batch have those of another. */
function causesOf(rejects: readonly Reject[], dialect: Dialect): Buffer[] {
  const known = new Map<string, Buffer>();
  return rejects.map(reject => {
    const key = `${reject.code}\n${reject.reason}`;
    const cause = known.get(key) ?? causeText(reject, dialect);
    known.set(key, cause);
    return cause;
  });
}

/** A code and a reason as the fields before a rejected record, with the delimiter behind them. */
export function causeText({ code, reason }: Pick<Reject, 'code' | 'reason'>, dialect: Dialect): Buffer {
  return Buffer.from(fieldsBefore([code, reason], dialect));
}

/** Without quotes, a blank stands in for each character that would need them, or "_" where blanks separate fields. */
function fieldsBefore(fields: readonly string[], dialect: Dialect): string {
  const { delimiter, quote } = dialect;
  const plain = (field: string): string => {
    const text = field.replace(/[\r\n]/g, ' ').replaceAll(delimiter, ' ');
    return delimiter === ' ' ? text.replaceAll(' ', '_') : text;
  };
  const writable = quote === undefined ? fields.map(plain) : fields;
  return writeRow(writable, dialect).slice(0, -1) + delimiter;
}
