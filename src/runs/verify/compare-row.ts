import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import { DEFAULT_PREFIX } from '../../formats/appended.ts';
import type { Comparison, RecordAt } from '../../formats/comparison.ts';
import type { Layout } from '../../formats/format.ts';
import { RecordKind } from '../../formats/records/batch.ts';
import { joinsLine, LF } from '../../formats/records/line-endings.ts';
import type { AppendedCheck } from './check-appended.ts';
import type { OutputShape } from './compare-header.ts';
import { mismatch, OTHERWISE, type RecordCursor } from './record-cursor.ts';

/**
 * Compares the current row of INPUT with the current record of OUTPUT: its own bytes, the appended fields, the line
 * ending.
 *
 * @returns the outcome of the row; `other` if the record does not start with the row's bytes
 * @throws RowcastError `difference`
 */
export function compareRow(
  input: RecordCursor,
  output: RecordCursor,
  comparison: Comparison,
  check: AppendedCheck,
): 'scored' | 'unscored' | 'other' {
  if (!output.hasRecord) return 'other';
  const appended = comparison.appendedOf(comparison.own(input), output);
  if (appended === undefined) return 'other';
  if (appended.start === appended.contentEnd) throw inOutput(input, output, 'no fields are appended to');
  const outcome = check.check(appended);
  if (typeof outcome === 'object') throw inOutput(input, output, `${outcome.wrong}, in`, outcome.hint);
  if (!endsAsWritten(input, output, comparison))
    throw inOutput(input, output, 'the line ending differs from that of');
  return outcome;
}

/**
 * Checks the record of OUTPUT that takes the place of a row which was rejected and then repaired: its own fields may be
 * any, as many as there are columns, and it must be scored.
 *
 * @throws RowcastError `difference`
 */
export function compareRepaired(
  input: RecordCursor,
  output: RecordCursor,
  comparison: Comparison,
  check: AppendedCheck,
): void {
  if (!output.hasRecord || output.kind === RecordKind.blank || output.kind === RecordKind.malformed)
    throw inOutput(input, output, 'there is no repaired record of');
  const appended = comparison.afterOwn(output);
  if (appended === undefined) throw inOutput(input, output, 'fields are missing in the repaired record of');
  const outcome = check.check(appended);
  if (outcome === 'scored') return;
  const { wrong, hint } =
    outcome === 'unscored' ? { wrong: 'there is no prediction', hint: undefined } : outcome;
  throw inOutput(input, output, `${wrong}, in the repaired record of`, hint);
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

/** Whether the current record of OUTPUT starts with what OUTPUT has of a row. */
export const hasContentOf = (row: RecordAt, output: RecordCursor, comparison: Comparison): boolean =>
  output.hasRecord && comparison.hasOwn(comparison.own(row), output);

/**
 * Describes an unexpected record of OUTPUT, judging by the two current records and the row before them.
 *
 * @param previousIsMalformed whether the row before was malformed
 */
export function describeUnexpected(
  input: RecordCursor,
  output: RecordCursor,
  comparison: Comparison,
  previousIsMalformed: boolean,
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
  const hint = hintAtRecord(input, previousIsMalformed);
  if (previous !== undefined && hasContentOf(previous, output, comparison))
    return mismatch(
      previousIsMalformed
        ? `row ${previous.row}, before ${input.file}:${input.line}, is malformed and should not be in the output`
        : `row ${previous.row}, before ${input.file}:${input.line}, is repeated here`,
      location,
      hint,
    );
  if (!input.hasRecord)
    return mismatch(`unexpected record: ${input.file} ends before line ${input.line}`, location);
  const changed = comparison.ownNames[comparison.changedColumn(comparison.own(input), output)] ?? '';
  return inOutput(input, output, `the column "${sanitize(changed)}" differs from`, hint);
}

function inOutput(input: RecordCursor, output: RecordCursor, what: string, hint?: string): RowcastError {
  return mismatch(
    `${what} row ${input.row}, at ${input.file}:${input.line}`,
    locationOf(input, output),
    hint,
  );
}

function locationOf(input: RecordCursor, output: RecordCursor): { file: string; line: number; row?: number } {
  const isRow = input.hasRecord && input.kind !== RecordKind.blank;
  return { file: output.file, line: output.line, ...(isRow && { row: input.row }) };
}

/** Whether a record of OUTPUT has the line ending that a run gives it. */
function endsAsWritten(input: RecordCursor, output: RecordCursor, { lineEnds }: Comparison): boolean {
  if (lineEnds === 'alike') return hasEndingOf(input, output);
  const size = output.end - output.contentEnd;
  return (
    lineEnds === 'any' || (input.end === input.contentEnd ? size === 0 : size === 1 && output.lastByte === LF)
  );
}

function hasEndingOf(input: RecordCursor, output: RecordCursor): boolean {
  const size = input.end - input.contentEnd;
  if (output.end - output.contentEnd !== size) return false;
  for (let at = 0; at < size; at++)
    if (input.bytes[input.contentEnd + at] !== output.bytes[output.contentEnd + at]) return false;
  return true;
}

/** The options that decide how an input is read, as `verify` and the run have them. */
const READING = ['delimiter', 'quote', 'escape', 'names', 'skip-lines', 'encoding', 'input-format'] as const;
const LISTED = `${READING.slice(0, -1)
  .map(name => `--${name}`)
  .join(', ')} or --input-format`;

/**
 * Says in the error of files whose headers differ with which options the run may have read the input.
 *
 * @param input as it was read without them
 */
export function hintAtHeader(
  error: unknown,
  input: Layout,
  output: Layout,
  { prefix }: Pick<OutputShape, 'prefix'>,
): never {
  if (!(error instanceof RowcastError) || error.code !== 'difference') throw error;
  const isAppended = (name: string): boolean => name.startsWith(`${prefix ?? DEFAULT_PREFIX}_`);
  const first = output.names.findIndex(isAppended);
  const own = output.names.slice(0, first === -1 ? undefined : first);
  const found = (own.length > 0 ? input.laterHeader(own) : undefined) ?? input.columnsHint;
  error.hint = `The input may be read in another way than by the run. ${found ?? `Give verify the run's ${LISTED}.`} ${OTHERWISE}`;
  throw error;
}

/**
 * A hint at the options with which the run may have read a record that differs.
 *
 * @param input at the record
 * @param previousIsMalformed whether the row before it is
 */
function hintAtRecord(input: RecordCursor, previousIsMalformed: boolean): string | undefined {
  const { quote, escape: escaper } = input.layout.readAs;
  const hasQuotes = quote !== undefined && quote !== 'none' && escaper === undefined;
  const records = input.previous === undefined ? [input] : [input.previous, input];
  const isEscaped = records.some(({ bytes, start, contentEnd }) =>
    bytes.toString('latin1', start, contentEnd).includes(`\\${quote}`),
  );
  if (hasQuotes && isEscaped) return `If the run had --escape '\\', give verify the same. ${OTHERWISE}`;
  return previousIsMalformed
    ? `If the run had another --quote, --escape or --delimiter, give verify the same. ${OTHERWISE}`
    : undefined;
}
