import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { noSuchReport, RequestError } from '../problems/problems.ts';
import type { KeyRing, Principal } from './key-ring.ts';
import type { Scope } from './scopes.ts';
import { WrongKeys } from './wrong-keys.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose key the request carries; null before it was checked, and where none is wanted. */
    principal: Principal | null;
  }
  interface FastifyContextConfig {
    /** What a key must be good for. */
    scope?: Scope;
  }
}

/** Lets nothing pass that does not carry a good key, or one that is not good for the endpoint. */
export function requireKey(app: FastifyInstance, keys: KeyRing): void {
  const wrongKeys = new WrongKeys();
  app.addHook('onRequest', async (request, reply) => {
    // Node takes the first and drops the others, where a proxy before it may have checked the last.
    if ((request.raw.headersDistinct.authorization?.length ?? 0) > 1)
      throw new RequestError('malformed', 'The request has more than one Authorization header.');
    request.principal = await authenticate(request, reply, keys, wrongKeys);
    const { scope } = request.routeOptions.config;
    if (scope !== undefined && !request.principal.hasScope(scope))
      throw new RequestError('missing_scope', `This endpoint needs a key with the scope "${scope}".`);
  });
}

async function authenticate(
  request: FastifyRequest,
  reply: FastifyReply,
  keys: KeyRing,
  wrongKeys: WrongKeys,
): Promise<Principal> {
  const found = await keys.find(request.headers.authorization);
  switch (found.kind) {
    case 'principal':
      throttle(reply, wrongKeys.succeeded(request.ip, found.principal.name));
      return found.principal;
    case 'expired':
      throttle(reply, wrongKeys.succeeded(request.ip, found.principal.name));
      throw unauthorized(reply, 'This key has expired.');
    case 'wrong':
      throttle(reply, wrongKeys.failed(request.ip));
      throw unauthorized(reply, 'There is no such key.');
    case 'none':
      throw unauthorized(reply, 'The request needs the header "Authorization: ApiKey <key>".');
  }
}

/** The same response for every key, so that it does not tell a good one. */
function throttle(reply: FastifyReply, seconds: number): void {
  if (seconds === 0) return;
  reply.header('retry-after', String(seconds));
  throw new RequestError('rate_limited', 'Too many wrong keys have come from this address.');
}

function unauthorized(reply: FastifyReply, detail: string): RequestError {
  reply.header('www-authenticate', 'ApiKey');
  return new RequestError('unauthorized', detail);
}

/**
 * Refuses a report that the request's key is not good for in the words for one that is not there: which reports
 * there are is no business of its holder's.
 */
export function authorize(request: FastifyRequest, id: string): void {
  if (!request.principal?.canAccess(id)) throw noSuchReport(id);
  request.report = id;
}
