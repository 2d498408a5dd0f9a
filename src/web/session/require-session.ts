import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '../../server/auth/key-file.ts';
import type { Principal } from '../../server/auth/principal.ts';
import { authorize } from '../../server/auth/require-key.ts';
import { shareRequests } from '../../server/limits/shares.ts';
import { RequestError } from '../../server/problems/problems.ts';
import type { PlatformContext } from '../context.ts';
import { isPageRequest } from '../errors/send-error.ts';
import { readSession } from './cookies.ts';
import type { Session } from './sessions.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The session of the platform; null before sign-in. */
    session: Session | null;
  }
}

/** Lets only requests of a session through. Others are led to the sign-in page, if they are for a page. */
export function requireSession(app: FastifyInstance, context: PlatformContext): void {
  app.addHook('onRequest', async (request, reply) => {
    const id = readSession(request, context);
    const session = await context.sessions.find(id);
    if (session !== undefined) {
      request.session = session;
      request.principal = session.principal;
      request.recheck = async () => {
        if (!(await context.sessions.isOpen(id))) throw sessionEnded();
      };
      return;
    }
    if (!isPageRequest(request)) throw sessionEnded();
    return toSignIn(request, reply);
  });
  if (context.limitRate !== undefined) app.addHook('onRequest', context.limitRate);
  app.addHook('onRequest', shareRequests(context.fairUse.shares.requests));
}

export const sessionEnded = (): RequestError =>
  new RequestError('unauthorized', 'The session has ended; sign in again.');

/** The session of a request that `requireSession` let through. */
export function sessionOf({ session }: FastifyRequest): Session {
  if (session === null) throw new Error('the route is not behind requireSession');
  return session;
}

function toSignIn(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [path = '/'] = request.url.split('?', 1);
  const isPage = request.method === 'GET' && path !== '/' && !path.startsWith('/platform/');
  return reply.redirect(isPage ? `/sign-in?next=${encodeURIComponent(path)}` : '/sign-in', 303);
}

/**
 * Whether a key may upload data, train and manage keys: only if it is not bound to reports, because a new report would
 * be outside of its reports.
 */
export const mayCreate = ({ reports }: Principal): boolean => reports === 'all';

/**
 * Checks that the session's key may see a report, as if there were none otherwise, and has a scope.
 *
 * @throws RequestError `no_such_report`, `missing_scope`
 */
export function requireScope(request: FastifyRequest, report: string, scope: Scope): void {
  authorize(request, report);
  if (!sessionOf(request).principal.hasScope(scope))
    throw new RequestError('missing_scope', `This requires a key with the scope "${scope}".`);
}

/** @throws RequestError `missing_scope` if the key is bound to reports */
export function requireUnbound(request: FastifyRequest): void {
  if (mayCreate(sessionOf(request).principal)) return;
  throw new RequestError(
    'missing_scope',
    'Your key is bound to reports: with it you can use these reports, but not upload data, train or manage keys.',
  );
}
