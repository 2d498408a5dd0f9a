import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import { RequestError } from '../problems/problems.ts';
import { keyOf } from './shares.ts';

/**
 * Lets so many requests a second pass from each key. Its answers carry RateLimit-Limit, -Remaining and -Reset, the
 * headers of draft-ietf-httpapi-ratelimit-headers-03 to -06: later drafts have other names, which few clients
 * know. A 429 has Retry-After too.
 */
export async function limitRate(
  app: FastifyInstance,
  perSecond: number,
  onRefused: () => void,
): Promise<void> {
  await app.register(rateLimit, {
    max: perSecond,
    timeWindow: 1_000,
    enableDraftSpec: true,
    // Names of keys are their own; requests without one were refused before.
    keyGenerator: keyOf,
    onExceeded: onRefused,
    errorResponseBuilder: () =>
      new RequestError('rate_limited', `This key has had its ${perSecond} requests of this second.`),
  });
}
