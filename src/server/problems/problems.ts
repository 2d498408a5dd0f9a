import { STATUS_CODES } from 'node:http';
import type { Problem } from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import type { ProblemCode } from '../../base/reference/problem-codes.ts';

/**
 * The status of each problem code; docs/running-the-service.md lists them. A damaged report stays damaged until it is trained
 * again, hence 410: a 5xx would invite clients to retry.
 */
const statuses: Readonly<Record<ProblemCode, number>> = {
  malformed: 400,
  bad_report_id: 400,
  empty_input: 400,
  unsupported_format: 400,
  bad_header: 400,
  unclosed_quote: 400,
  unauthorized: 401,
  wrong_host: 403,
  cross_origin: 403,
  stale_form: 403,
  missing_scope: 403,
  no_such_endpoint: 404,
  no_such_report: 404,
  no_such_data: 404,
  no_such_training: 404,
  no_such_run: 404,
  no_output: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  data_in_use: 409,
  training_running: 409,
  not_running_here: 409,
  run_begun: 409,
  damaged_report: 410,
  damaged_data: 410,
  too_large: 413,
  too_many_personas: 413,
  too_many_members: 413,
  record_too_long: 413,
  too_many_columns: 413,
  unsupported_media_type: 415,
  unsupported_encoding: 415,
  not_a_persona: 422,
  unknown_columns: 422,
  invalid_value: 422,
  missing_columns: 422,
  duplicate_columns: 422,
  invalid_csv: 422,
  rate_limited: 429,
  too_many_runs: 429,
  headers_too_large: 431,
  internal: 500,
  unsupported_transfer_encoding: 501,
  draining: 503,
  home_unavailable: 503,
  busy: 503,
  unresponsive: 503,
  http_version: 505,
  quota_exceeded: 507,
  disk_full: 507,
};

export const statusOf = (code: ProblemCode): number => statuses[code];

export const problemType = 'application/problem+json';

/** An error that becomes the response, as a problem document. */
export class RequestError extends Error {
  readonly code: ProblemCode;
  constructor(code: ProblemCode, detail: string) {
    super(detail);
    this.code = code;
  }
}

/** There is no such report, or the key grants no access to it: clients cannot tell the two apart. */
export const noSuchReport = (id: string): RequestError =>
  new RequestError('no_such_report', `there is no report "${id}"`);

/** A problem document (RFC 9457). There is no page about each code, hence `about:blank`. */
export function problemOf(code: ProblemCode, detail: string): Problem {
  const status = statuses[code];
  return { type: 'about:blank', title: STATUS_CODES[status] ?? code, status, detail, code };
}

/**
 * The problem document for an error. Details of unexpected errors appear only in the log, and the path of a damaged
 * report is left out.
 */
export function problemFrom(error: unknown): Problem {
  if (error instanceof RequestError) return problemOf(error.code, error.message);
  if (error instanceof RowcastError && error.code in statuses) {
    const { line } = error.location;
    const where = line === undefined ? '' : `line ${line}: `;
    const next = error.code === 'damaged_report' ? '; train it again' : '';
    return problemOf(error.code as ProblemCode, `${where}${error.message}${next}`); // `in` has just checked the code.
  }
  if (isHomeError(error)) return problemOf('home_unavailable', 'The data directory cannot be used.');
  if (isZlibError(error)) return problemOf('malformed', `The body is not valid gzip: ${error.message}.`);
  const code = fastifyCode(error);
  if (code !== undefined && error instanceof Error) return problemOf(code, `${error.message}.`);
  return problemOf('internal', 'Internal error; see the service’s log.');
}

/** Codes of errors that mean that files cannot be used; requests use no files but those of the data directory. */
const unusable =
  /^(unreadable_home|unwritable_home|EACCES|EPERM|EROFS|ELOOP|ENOTDIR|EIO|ESTALE|EMFILE|ENFILE|EBUSY)$/;

const isHomeError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && unusable.test(String(error.code));

function isZlibError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^Z_/.test(String(error.code));
}

/** Errors that Fastify raises before a route is reached. */
function fastifyCode(error: unknown): ProblemCode | undefined {
  if (!(error instanceof Error) || !('statusCode' in error)) return undefined;
  switch (error.statusCode) {
    case 413:
      return 'too_large';
    case 415:
      return 'unsupported_media_type';
    case 400:
    case 414:
      return 'malformed';
    default:
      return undefined;
  }
}
