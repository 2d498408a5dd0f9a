import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The header that carries a request's id, both ways. */
export const requestIdHeader = 'x-request-id';

/** Nothing that could break a line of a log, or fill it. */
const sane = /^[\w.:/+=@-]{1,128}$/;

/** What a request is called in the log and in its answer: the caller's own name for it, if that is sane. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers[requestIdHeader];
  return typeof given === 'string' && sane.test(given) ? given : randomUUID();
}
