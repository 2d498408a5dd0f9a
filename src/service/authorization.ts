import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Holder, KeyRing } from './key-ring.ts';
import { noSuchReport, RequestError } from './problems.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose key the request carries; null before it was checked, and where none is wanted. */
    holder: Holder | null;
  }
}

/** Lets nothing pass that does not carry a good key; what the key is not good for, the routes refuse. */
export function requireKey(app: FastifyInstance, keys: KeyRing): void {
  app.addHook('onRequest', async (request, reply) => {
    request.holder = (await keys.holderOf(request.headers.authorization)) ?? null;
    if (request.holder !== null) return;
    reply.header('www-authenticate', 'ApiKey');
    throw new RequestError('unauthorized', 'The request needs the header "Authorization: ApiKey <key>".');
  });
}

/**
 * Refuses a report that the request's key is not good for in the words for one that is not there: which reports
 * there are is no business of its holder's.
 */
export function checkGrant({ holder }: FastifyRequest, id: string): void {
  if (!holder?.mayUse(id)) throw noSuchReport(id);
}
