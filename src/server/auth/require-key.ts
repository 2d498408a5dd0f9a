import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { networkOf } from '../http/client-network.ts';
import { noSuchReport, RequestError } from '../problems/problems.ts';
import { isGone, onRequestEnd } from '../request-end.ts';
import type { Scope } from './key-file.ts';
import type { KeyRing } from './key-ring.ts';
import type { Principal } from './principal.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose key the request carries; null before authentication, and on public routes. */
    principal: Principal | null;
    /**
     * Looks the key or the session up again, for a request that takes long.
     *
     * @param afterMs does nothing if the last look was less than this many milliseconds ago
     * @throws RequestError `unauthorized`, `missing_scope` or `no_such_report` if it may no longer do what it does
     */
    recheck(afterMs?: number): Promise<void>;
  }
  interface FastifyContextConfig {
    /** The scope that a key needs. */
    scope?: Scope;
  }
}

/** Rejects requests without a valid key, or whose key lacks the scope of the endpoint. */
export function requireKey(app: FastifyInstance, keys: KeyRing): void {
  const wrongKeys = new WrongKeys();
  app.addHook('onRequest', async (request, reply) => {
    // Node keeps the first and drops the others, but a proxy in front may have checked the last.
    if ((request.raw.headersDistinct.authorization?.length ?? 0) > 1)
      throw new RequestError('malformed', 'The request has more than one Authorization header.');
    request.principal = await authenticate(request, reply, keys, wrongKeys);
    requireScope(request, request.principal);
    let checkedAt = performance.now();
    request.recheck = async (afterMs = 0) => {
      if (performance.now() - checkedAt < afterMs) return;
      checkedAt = performance.now();
      const found = await keys.find(request.headers.authorization);
      if (found.kind !== 'principal')
        throw unauthorized(reply, 'The API key was revoked or has expired during the request.');
      requireScope(request, found.principal);
      const { report } = request;
      if (report !== undefined && !found.principal.canAccess(report)) throw noSuchReport(report);
    };
  });
}

function requireScope({ routeOptions }: FastifyRequest, principal: Principal): void {
  const { scope } = routeOptions.config;
  if (scope !== undefined && !principal.hasScope(scope))
    throw new RequestError('missing_scope', `This endpoint requires a key with the scope "${scope}".`);
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
      return found.principal;
    case 'expired':
      throw unauthorized(reply, 'The API key has expired.');
    case 'wrong':
      throttle(reply, wrongKeys.failed(request.ip));
      throw unauthorized(reply, 'Unknown API key.');
    case 'none':
      throw unauthorized(reply, 'The request needs an "Authorization: ApiKey <key>" header.');
  }
}

function throttle(reply: FastifyReply, seconds: number): void {
  if (seconds === 0) return;
  reply.header('retry-after', String(seconds));
  throw new RequestError('rate_limited', 'Too many requests with invalid keys from this address.');
}

function unauthorized(reply: FastifyReply, detail: string): RequestError {
  reply.header('www-authenticate', 'ApiKey');
  return new RequestError('unauthorized', detail);
}

/**
 * Checks that the request's key grants access to a report. Otherwise the response is the same as for a report that does
 * not exist, so that it does not reveal which reports do.
 */
export function authorize(request: FastifyRequest, id: string): void {
  if (!request.principal?.canAccess(id)) throw noSuchReport(id);
  request.report = id;
}

/** Aborts streamed responses when their key is revoked or expires, also while the client does not read. */
export function endWithKey(app: FastifyInstance, recheckMs: number): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (payload instanceof Readable) watch(payload, request, reply, recheckMs);
    done();
  });
}

function watch(payload: Readable, request: FastifyRequest, reply: FastifyReply, recheckMs: number): void {
  const timer = setInterval(() => {
    request.recheck().catch(error => {
      // If the keys cannot be read, the next look decides.
      if (!(error instanceof RequestError) || isGone(reply)) return;
      request.log.warn({ event: 'response_aborted' }, `response aborted: ${error.message}`);
      payload.destroy(error);
      // The stream may close only after its next part.
      reply.raw.destroy();
    });
  }, recheckMs).unref();
  onRequestEnd(reply, () => clearInterval(timer));
}

/** Wrong keys that an address may send in a burst; after that, one per interval. */
const BURST = 20;
const REFILL_MS = 6_000;
/** The most addresses that are remembered; the least recently seen are dropped. */
const MAX_REMEMBERED = 10_000;

/**
 * Throttles the responses to wrong keys, by address. A key that matches is never throttled: behind a proxy all clients
 * share one address, so one of them could lock out the others. Guessing a stored key is hopeless at any rate.
 */
export class WrongKeys {
  /**
   * By address, the time until which its wrong keys are accounted for, as in `RowRate`; the most recently seen last.
   */
  readonly #until = new Map<string, number>();
  readonly #now: () => number;

  /** @param now a monotonic clock, in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Records a wrong key. @returns seconds to wait if the limit is exceeded, otherwise 0 */
  failed(address: string): number {
    const network = networkOf(address);
    const now = this.#now();
    const ahead = Math.max(0, (this.#until.get(network) ?? 0) - now);
    const late = ahead - (BURST - 1) * REFILL_MS;
    if (late > 0) return Math.ceil(late / 1_000);
    this.#until.delete(network);
    this.#until.set(network, now + ahead + REFILL_MS);
    const [oldest] = this.#until.keys();
    if (this.#until.size > MAX_REMEMBERED && oldest !== undefined) this.#until.delete(oldest);
    return 0;
  }

  /** The number of remembered addresses. */
  get size(): number {
    return this.#until.size;
  }
}
