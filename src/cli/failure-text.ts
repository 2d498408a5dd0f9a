import { RowcastError } from '../base/errors.ts';
import { sanitizeLines } from '../base/sanitize.ts';
import { exitCodeOf } from '../runs/exit-code.ts';
import { CallError } from '../scoring/failures/call-error.ts';

/** The members of a JSON log line for an error, without those that are unknown. */
export function failureFields(error: unknown): Record<string, unknown> {
  const exit_code = exitCodeOf(error);
  if (!(error instanceof RowcastError)) return { code: 'unexpected', exit_code, retryable: false };
  const { code, retryable, location, hint } = error;
  return { code, exit_code, retryable, ...location, hint };
}

/** The message of an error; an unexpected one includes the stack. */
export function failureMessage(error: unknown): string {
  if (error instanceof RowcastError) return error.message.replace(/\.$/, '');
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `unexpected error, please report it: ${text}`;
}

/**
 * Formats an error for stderr: what happened and where, then what to do.
 *
 *     rowcast: personas.csv:17: the record has 4 fields, the header 3 [too_many_fields]
 *       Correct the row, or remove it from the input.
 */
export function describeFailure(error: unknown): string {
  if (!(error instanceof RowcastError)) return `rowcast: ${failureMessage(error)}\n`;
  const { file, line, row, request } = error.location;
  const isRequest = error instanceof CallError;
  const at = line === undefined ? '' : `:${line}`;
  // A failed request says nothing about the line at which the run stopped.
  const where = file === undefined || (isRequest && line !== undefined) ? '' : `${file}${at}: `;
  const quote = error.quote === undefined ? '' : `; ${error.quote}`;
  const details = [
    row === undefined
      ? undefined
      : isRequest
        ? `${rowsOf(file)} from ${row} on are not scored.`
        : `Row ${row}.`,
    request === undefined ? undefined : `Request: ${request}.`,
    error.hint,
  ].filter(text => text !== undefined);
  const more = details.length === 0 ? '' : `  ${details.join(' ')}\n`;
  return sanitizeLines(`rowcast: ${where}${failureMessage(error)}${quote} [${error.code}]\n${more}`);
}

const rowsOf = (file: string | undefined): string => (file === undefined ? 'Rows' : `Rows of ${file}`);
