import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import { countOf } from '../../base/number-text.ts';
import { type ProblemCode, problemDocs } from '../../base/reference/problem-codes.ts';
import { sanitize } from '../../base/sanitize.ts';

export const statusOf = (code: ProblemCode): number => problemDocs[code].status;

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
  const status = statusOf(code);
  return { type: 'about:blank', title: STATUS_CODES[status] ?? code, status, detail, code };
}

/**
 * The problem document for an error. Details of unexpected errors appear only in the log, and the path of a damaged
 * report is left out.
 */
export function problemFrom(error: unknown): Problem {
  if (error instanceof RequestError) return problemOf(error.code, error.message);
  if (error instanceof RowcastError && error.code in problemDocs) {
    const { line } = error.location;
    const where = line === undefined ? '' : `line ${line}: `;
    const next = error.code === 'damaged_report' ? '; train or import it again' : '';
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

/** After these problems the connection is closed. */
const closing: readonly string[] = ['request_timeout', 'draining'] satisfies ProblemCode[];

/** How soon to try again while the data directory cannot be used. */
const HOME_RETRY_SECONDS = '1';

/** Sends the problem document for an error. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = prepareProblem(error, request, reply);
  // As bytes, because Fastify adds a charset to text, which this media type does not have.
  return reply
    .code(problem.status)
    .type(problemType)
    .send(Buffer.from(JSON.stringify(problem)));
}

/** Logs an unexpected error, and prepares the connection for a response that may precede the end of the body. */
export function prepareProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  problem = problemFrom(error),
): Problem {
  if (problem.code === 'home_unavailable') reply.header('retry-after', HOME_RETRY_SECONDS);
  if (problem.status === 500 || problem.code === 'home_unavailable') {
    const reason = error instanceof Error ? error.message : String(error);
    request.log.error({ event: 'request_failed', err: error }, `request failed: ${sanitize(reason)}`);
  }
  if (problem.code === 'too_large') {
    problem.detail = `The request body exceeds the limit of ${countOf(request.routeOptions.bodyLimit, 'byte')}.`;
  }
  // Fastify would close after every body error, and the client might lose the response: see `drainRequest`.
  if (closing.includes(problem.code)) reply.header('connection', 'close');
  else {
    reply.removeHeader('connection');
    // Nor may Node close at the client's request before the body has been received.
    if (!request.raw.complete) reply.raw.shouldKeepAlive = true;
  }
  return problem;
}

/**
 * Responds to a request whose headers were not valid HTTP, too large or too slow, and closes the connection.
 *
 * @param onRefused called with the status, unless the connection just broke
 */
export function sendClientError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  onRefused: (status: number) => void,
): void {
  // A request before the response to the last one was refused; the connection closes after that response.
  if (error.code === 'HPE_CB_HEADERS_COMPLETE') return;
  const sent = clientProblem(error.code);
  if (sent === undefined) {
    socket.destroy();
    return;
  }
  const problem = problemOf(...sent);
  onRefused(problem.status);
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(problem);
  socket.end(
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\nConnection: close\r\n` +
      `Content-Type: ${problemType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

/** @returns undefined if no response can be sent: the client went away, or its handshake failed or never ended */
function clientProblem(code = ''): [code: ProblemCode, detail: string] | undefined {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return ['request_timeout', 'The request was not received in time.'];
    case 'HPE_HEADER_OVERFLOW':
      return ['headers_too_large', 'The headers are too large.'];
    case 'HPE_INVALID_EOF_STATE':
      return undefined;
    default:
      return code.startsWith('HPE_') ? ['malformed', 'The request is not valid HTTP.'] : undefined;
  }
}
