import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { RequestError } from '../problems/problems.ts';
import { keyOf } from './shares.ts';

/**
 * A hook that limits the requests per second of each key, for routes behind a key or a session: one budget for all of
 * them. Responses carry RateLimit-Limit, -Remaining and -Reset, the headers of draft-ietf-httpapi-ratelimit-headers-03
 * to -06: later drafts use other names, which few clients know. A 429 also has Retry-After.
 */
export async function rateLimitHook(
  app: FastifyInstance,
  perSecond: number,
  onRefused: () => void,
): Promise<onRequestAsyncHookHandler> {
  await app.register(rateLimit, {
    global: false,
    max: perSecond,
    timeWindow: 1_000,
    enableDraftSpec: true,
    // Key names are unique, and requests without a key were rejected earlier.
    keyGenerator: keyOf,
    onExceeded: onRefused,
    errorResponseBuilder: () =>
      new RequestError(
        'rate_limited',
        `This key has exceeded its limit of ${perSecond} requests per second.`,
      ),
  });
  return app.rateLimit();
}
