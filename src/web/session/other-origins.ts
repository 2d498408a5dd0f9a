import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RequestError } from '../../server/problems/problems.ts';

/** Methods that change nothing (RFC 9110 section 9.2.1). */
export const isSafe = (method: string): boolean => /^(GET|HEAD|OPTIONS|TRACE)$/.test(method);

/**
 * Refuses requests that pages of other sites send in order to change something. Besides the token of each form, because
 * the form for signing in has no session to hold one.
 */
export function refuseOtherOrigins(app: FastifyInstance): void {
  app.addHook('onRequest', async request => {
    if (isSafe(request.method) || isOwnOrigin(request)) return;
    throw new RequestError('cross_origin', 'The request came from a page of another site.');
  });
}

/**
 * Current browsers send Sec-Fetch-Site over https and to loopback; `none` is the user's own doing. Without it, Origin
 * must be the host of the request. What sends neither is no browser, and needs the token anyway.
 */
function isOwnOrigin({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const { origin, host } = headers;
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}
