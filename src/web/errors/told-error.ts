import { RowcastError } from '../../base/errors.ts';
import { sanitizeLines } from '../../base/sanitize.ts';
import { RequestError } from '../../server/problems/problems.ts';

/** An error as the pages tell it. */
export interface ToldError {
  code: string;
  message: string;
  /** What to do, if it is known. */
  hint: string | null;
}

/** Options are of the command line, so hints that name one help nobody here. */
const OPTION = /(^|[\s(])--?[a-z]/;

/**
 * What to tell about an error of a training or a run: without paths of the service’s machine.
 *
 * @param hints what to do about an error on the pages, by code
 */
export function tellError(error: unknown, hints: Readonly<Record<string, string>>): ToldError {
  if (error instanceof RequestError)
    return { code: error.code, message: error.message, hint: hints[error.code] ?? null };
  if (!(error instanceof RowcastError))
    return { code: 'internal', message: 'Internal error; see the service’s log.', hint: null };
  const { code, message, hint = null, location } = error;
  return tellStored({ code, message, hint, line: location.line ?? null }, hints);
}

/** Tells a person about an error as a summary stores it. */
export function tellStored(
  { code, message, hint, line }: ToldError & { line: number | null },
  hints: Readonly<Record<string, string>>,
): ToldError {
  const where = line === null ? '' : `line ${line}: `;
  const own = hint === null || OPTION.test(hint) ? null : sanitizeLines(hint);
  return { code, message: sanitizeLines(`${where}${message}`), hint: hints[code] ?? own };
}
