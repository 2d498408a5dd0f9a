import { STATUS_CODES } from 'node:http';
import type { Problem } from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import { sanitizeLines } from '../../base/sanitize.ts';
import { isDiskFull } from '../../base/system-error.ts';
import { problemFrom, problemOf, RequestError } from '../../server/problems/problems.ts';

/** An error as the pages tell it. */
export interface ShownError {
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
export function shownError(error: unknown, hints: Readonly<Record<string, string>>): ShownError {
  if (error instanceof RequestError)
    return { code: error.code, message: error.message, hint: hints[error.code] ?? null };
  if (!(error instanceof RowcastError))
    return { code: 'internal', message: 'Internal error; see the service’s log.', hint: null };
  const { code, message, hint = null, location } = error;
  return shownStoredError({ code, message, hint, line: location.line ?? null }, hints);
}

/** Tells a person about an error as a summary stores it. */
export function shownStoredError(
  { code, message, hint, line }: ShownError & { line: number | null },
  hints: Readonly<Record<string, string>>,
): ShownError {
  const where = line === null ? '' : `line ${line}: `;
  const own = hint === null || OPTION.test(hint) ? null : sanitizeLines(hint);
  return { code, message: sanitizeLines(`${where}${message}`), hint: hints[code] ?? own };
}

/** The status of errors that the API does not have, because it creates nothing. Others that a user can fix are 422. */
const statuses: Readonly<Record<string, number>> = {
  no_such_key: 404,
  key_exists: 409,
  report_exists: 409,
  locked: 409,
  disk_full: 507,
};

/** The problem document for an error of the platform; also for errors that the command line explains. */
export function platformProblem(error: unknown): Problem {
  // Whatever it was writing: an upload, or what it keeps of a run or of a training.
  if (isDiskFull(error))
    return problemOf('disk_full', 'The disk of the service is full. Free some space, then try again.');
  const problem = problemFrom(error);
  if (problem.code !== 'internal' || !(error instanceof RowcastError)) return problem;
  const status = statuses[error.code] ?? 422;
  const { line } = error.location;
  const detail = `${line === undefined ? '' : `line ${line}: `}${error.message}`;
  return { type: 'about:blank', title: STATUS_CODES[status] ?? error.code, status, detail, code: error.code };
}
