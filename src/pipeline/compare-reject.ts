import { fieldEnd } from '../csv/malformed.ts';
import type { Cursor } from './cursor.ts';
import { difference } from './difference.ts';

/** The row that a record of a rejects file speaks of. */
export interface RejectHead {
  row: number;
  line: number;
  /** Offset at which the record's own bytes begin. */
  at: number;
}

/**
 * Reads what a rejects file says before a record's own bytes.
 *
 * @throws RowcastError `difference`
 */
export function readRejectHead({ bytes, start, contentEnd, dialect, file, line }: Cursor): RejectHead {
  const fields: string[] = [];
  let at = start;
  for (let column = 0; column < 4; column++) {
    const end = fieldEnd(bytes, at, contentEnd, dialect);
    if (end === contentEnd) throw difference('this is no record of a rejects file', { file, line });
    fields.push(bytes.toString('latin1', at, end));
    at = end + 1;
  }
  const [row = '', itsLine = '', code = ''] = fields;
  if (!isNumber(row) || !isNumber(itsLine) || code === '')
    throw difference('reject_row, reject_line or reject_code is none', { file, line });
  return { row: Number(row), line: Number(itsLine), at };
}

/** 1-based, and written as rowcast writes it. */
const isNumber = (text: string): boolean => /^[1-9]\d{0,15}$/.test(text);

/**
 * Compares a row of INPUT with the rejects file.
 *
 * @param head of the record at which the rejects file stands; undefined at its end
 * @param isReject whether the row must be there
 * @throws RowcastError `difference`
 */
export function compareReject(
  input: Cursor,
  rejects: Cursor,
  head: RejectHead | undefined,
  isReject: boolean,
): void {
  const { row } = input;
  if (!isReject && head?.row !== row) return;
  const place = { file: rejects.file, line: rejects.line, row };
  const theRow = `row ${row}, at ${input.file}:${input.line},`;
  if (!isReject) throw difference(`${theRow} is among the rejects, but it is scored`, place);
  if (head === undefined) throw difference(`${theRow} is not scored, and not among the rejects`, place);
  if (head.row !== row)
    throw difference(`${theRow} should be the next of the rejects, but row ${head.row} is`, place);
  if (head.line !== input.line)
    throw difference(`reject_line is ${head.line}, but the row begins at ${input.file}:${input.line}`, place);
  const own = rejects.bytes.subarray(head.at, rejects.end);
  if (!own.equals(input.bytes.subarray(input.start, input.end)))
    throw difference(`the record is not as it is at ${input.file}:${input.line}`, place);
}
