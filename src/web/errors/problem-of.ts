import { STATUS_CODES } from 'node:http';
import type { Problem } from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import { isDiskFull } from '../../base/system-error.ts';
import { problemFrom, problemOf } from '../../server/problems/problems.ts';

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
