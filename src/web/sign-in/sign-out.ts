import type { FastifyPluginAsync } from 'fastify';
import type { PlatformContext } from '../context.ts';
import { clearCookie, readSession } from '../session/cookies.ts';

/** POST /platform/sign-out: ends the session, also for copies of its cookie. */
export const signOutRoutes: FastifyPluginAsync<PlatformContext> = async (app, context) => {
  app.post('/platform/sign-out', async (request, reply) => {
    context.sessions.end(readSession(request, context));
    clearCookie('session', request, reply, context);
    return reply.redirect('/sign-in', 303);
  });
};
