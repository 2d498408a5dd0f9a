import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { shareRequests } from '../../server/limits/shares.ts';
import { RequestError } from '../../server/problems/problems.ts';
import type { PlatformContext } from '../context.ts';
import { isPageRequest } from '../errors/page-request.ts';
import { readCookie } from './cookies.ts';
import type { Session } from './sessions.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of the platform; null before sign-in. */
    session: Session | null;
  }
}

/** Lets only requests of a session through. Others are led to the sign-in page, if they are for a page. */
export function requireSession(app: FastifyInstance, context: PlatformContext): void {
  app.addHook('onRequest', async (request, reply) => {
    const session = await context.sessions.find(readCookie('session', request, context));
    if (session !== undefined) {
      request.session = session;
      request.principal = session.principal;
      return;
    }
    if (!isPageRequest(request))
      throw new RequestError('unauthorized', 'The session has ended; sign in again.');
    return toSignIn(request, reply);
  });
  if (context.limitRate !== undefined) app.addHook('onRequest', context.limitRate);
  shareRequests(app, context.fairUse.shares.requests);
}

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
