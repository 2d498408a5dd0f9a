import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { shareRequests } from '../../server/limits/shares.ts';
import { RequestError } from '../../server/problems/problems.ts';
import type { PlatformContext } from '../context.ts';
import { isPageRequest } from '../errors/page-request.ts';
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
