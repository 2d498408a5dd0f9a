import type { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import { fieldEnd } from '../../formats/csv/fields/malformed.ts';
import { joinsLine } from '../../formats/records/line-endings.ts';
import { RecordKind } from '../../formats/records/record-kind.ts';
import type { AppendedCheck } from './check-appended.ts';
import { mismatch } from './mismatch.ts';
import type { Projection } from './projection.ts';
import type { LocatedRecord, RecordCursor } from './record-cursor.ts';

/**
 * Compares the current row of INPUT with the current record of OUTPUT: its own bytes, the appended fields, the line ending.
 *
 * @returns the outcome of the row; `other` if the record does not start with the row's bytes
 * @throws RowcastError `difference`
 */
export function compareRow(
  input: RecordCursor,
  output: RecordCursor,
  appended: AppendedCheck,
  project: Projection,
): 'scored' | 'unscored' | 'other' {
  const own = project(input);
  if (!output.hasRecord || !startsWithContent(output, own)) return 'other';
  const at = output.start + own.contentEnd - own.start;
  if (at === output.contentEnd) throw inOutput(input, output, 'no fields are appended to');
  if (appended.isAfterOthers && output.bytes[at] !== input.dialect.delimiter.charCodeAt(0)) return 'other';
  const outcome = appended.check(output.bytes, at, output.contentEnd);
  if (typeof outcome === 'object') throw inOutput(input, output, `${outcome.wrong}, in`);
  if (!hasEndingOf(input, output)) throw inOutput(input, output, 'the line ending differs from that of');
  return outcome;
}

/**
 * Checks the record of OUTPUT that takes the place of a row which was rejected and then repaired: its own fields may be
 * any, as many as there are columns, and it must be scored.
 *
 * @param width number of the row's own fields
 * @throws RowcastError `difference`
 */
export function compareRepaired(
  input: RecordCursor,
  output: RecordCursor,
  width: number,
  appended: AppendedCheck,
): void {
  const { bytes, start, contentEnd, dialect } = output;
  if (!output.hasRecord || output.kind === RecordKind.blank || output.kind === RecordKind.malformed)
    throw inOutput(input, output, 'there is no repaired record of');
  let at = start;
  for (let column = 0; column < width; column++) {
    if (column > 0 && at === contentEnd)
      throw inOutput(input, output, 'fields are missing in the repaired record of');
    at = fieldEnd(bytes, column === 0 ? start : at + 1, contentEnd, dialect);
  }
  const outcome = appended.check(bytes, at, contentEnd);
  if (outcome === 'scored') return;
  const wrong = outcome === 'unscored' ? 'there are no probabilities' : outcome.wrong;
  throw inOutput(input, output, `${wrong}, in the repaired record of`);
}

/**
 * Compares the current blank line of INPUT with the current record of OUTPUT.
 *
 * @param lastByte of OUTPUT before its current record
 * @throws RowcastError `difference`
 */
export function compareBlank(input: RecordCursor, output: RecordCursor, lastByte: number | undefined): void {
  if (!output.hasRecord || output.kind !== RecordKind.blank)
    throw mismatch(`the blank line at ${input.file}:${input.line} is missing`, locationOf(input, output));
  const hasEnding = joinsLine(lastByte, input.bytes[input.start])
    ? output.end - output.start === 2
    : hasEndingOf(input, output);
  if (!hasEnding)
    throw mismatch(
      `the blank line does not end like the one at ${input.file}:${input.line}`,
      locationOf(input, output),
    );
}

/** Whether the current record of OUTPUT starts with the bytes of a row. */
export function hasContentOf(row: LocatedRecord, output: RecordCursor): boolean {
  const at = output.start + row.contentEnd - row.start;
  const isFieldsEnd = at === output.contentEnd || output.bytes[at] === output.dialect.delimiter.charCodeAt(0);
  return output.hasRecord && startsWithContent(output, row) && isFieldsEnd;
}

/**
 * Describes an unexpected record of OUTPUT, judging by the two current records and the row before them.
 *
 * @param names the input's columns that OUTPUT has
 * @param previousIsMalformed whether the row before was malformed
 */
export function describeUnexpected(
  input: RecordCursor,
  output: RecordCursor,
  names: readonly string[],
  previousIsMalformed: boolean,
  project: Projection,
): RowcastError {
  const location = locationOf(input, output);
  if (!output.hasRecord)
    return mismatch(
      `the output ends before row ${input.row}, at ${input.file}:${input.line}`,
      location,
      'If the run had a --limit, give verify the same one; otherwise rows are missing.',
    );
  if (output.kind === RecordKind.blank)
    return mismatch(`unexpected blank line: there is none at ${input.file}:${input.line}`, location);
  const { previous } = input;
  if (previous !== undefined && hasContentOf(project(previous), output))
    return mismatch(
      previousIsMalformed
        ? `row ${previous.row}, before ${input.file}:${input.line}, is malformed and should not be in the output`
        : `row ${previous.row}, before ${input.file}:${input.line}, is repeated here`,
      location,
    );
  if (!input.hasRecord)
    return mismatch(`unexpected record: ${input.file} ends before line ${input.line}`, location);
  return inOutput(
    input,
    output,
    `the column "${sanitize(changedColumn(project(input), output, names))}" differs from`,
  );
}

function inOutput(input: RecordCursor, output: RecordCursor, what: string): RowcastError {
  return mismatch(`${what} row ${input.row}, at ${input.file}:${input.line}`, locationOf(input, output));
}

function locationOf(input: RecordCursor, output: RecordCursor): { file: string; line: number; row?: number } {
  const isRow = input.hasRecord && input.kind !== RecordKind.blank;
  return { file: output.file, line: output.line, ...(isRow && { row: input.row }) };
}

function startsWithContent(output: RecordCursor, { bytes, start, contentEnd }: LocatedRecord): boolean {
  const end = output.start + contentEnd - start;
  if (end > output.contentEnd) return false;
  return bytes.compare(output.bytes, output.start, end, start, contentEnd) === 0;
}

function hasEndingOf(input: RecordCursor, output: RecordCursor): boolean {
  const size = input.end - input.contentEnd;
  if (output.end - output.contentEnd !== size) return false;
  for (let at = 0; at < size; at++)
    if (input.bytes[input.contentEnd + at] !== output.bytes[output.contentEnd + at]) return false;
  return true;
}

/** The name of the first column that differs. */
function changedColumn(own: LocatedRecord, output: RecordCursor, names: readonly string[]): string {
  const { bytes, start, contentEnd } = own;
  const { dialect } = output;
  let same = 0;
  while (start + same < contentEnd && bytes[start + same] === output.bytes[output.start + same]) same++;
  let column = 0;
  let end = fieldEnd(bytes, start, contentEnd, dialect);
  while (end < start + same && end < contentEnd) {
    end = fieldEnd(bytes, end + 1, contentEnd, dialect);
    column++;
  }
  return names[column] ?? '';
}
