import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '../../base/contract/schemas.ts';
import { countOf } from '../../base/number-text.ts';
import type { ProblemCode } from '../../base/reference/problem-codes.ts';
import { sanitize } from '../../base/sanitize.ts';
import { problemFrom, problemOf, problemType } from './problems.ts';

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
