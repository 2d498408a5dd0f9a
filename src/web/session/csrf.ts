import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RequestError } from '../../server/problems/problems.ts';
import { type Html, html } from '../html.ts';
import type { Session } from './sessions.ts';

const HEADER = 'x-csrf-token';
const FIELD = '_csrf';

/** The hidden field that every form needs. */
export const csrfField = (session: Pick<Session, 'csrfToken'>): Html =>
  html`<input type="hidden" name="${FIELD}" value="${session.csrfToken}">`;

/**
 * Demands the session's token with everything that changes something: from modules as a header, before the body is
 * read, from forms as a field. A page of another site can have the browser send its cookies, but cannot read the token.
 */
export function checkCsrf(app: FastifyInstance): void {
  app.addHook('onRequest', async request => {
    if (isSafe(request.method) || isForm(request)) return;
    demand(request.headers[HEADER], request.session?.csrfToken);
  });
  app.addHook('preValidation', async request => {
    if (isSafe(request.method) || !isForm(request)) return;
    demand(request.headers[HEADER] ?? tokenIn(request.body), request.session?.csrfToken);
  });
}

const isForm = ({ headers }: FastifyRequest): boolean =>
  /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '');

/** The token of a form's field. */
export function tokenIn(body: unknown): unknown {
  return typeof body === 'object' && body !== null && FIELD in body ? body[FIELD] : undefined;
}

/** @throws RequestError `stale_form` */
export function demand(given: unknown, expected: string | undefined): void {
  if (typeof given === 'string' && expected !== undefined && timingSafeEqual(digest(given), digest(expected)))
    return;
  throw new RequestError('stale_form', 'The page is from a session that has ended. Load it again and retry.');
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Methods that change nothing (RFC 9110 section 9.2.1). */
const isSafe = (method: string): boolean => /^(GET|HEAD|OPTIONS|TRACE)$/.test(method);

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
