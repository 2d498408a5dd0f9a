import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The header that carries a request's id, in both directions. */
export const requestIdHeader = 'x-request-id';

/** Excludes anything that could break a log line, or flood the log. */
const sane = /^[\w.:/+=@-]{1,128}$/;

/** The id of a request in the log and in its response: the client's own, if it is valid, or a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers[requestIdHeader];
  return typeof given === 'string' && sane.test(given) ? given : randomUUID();
}
