import type { FastifyInstance } from 'fastify';
import { onRequestEnd } from '../request-end.ts';
import type { SharedBudget } from './shared-budget.ts';
import { keyOf, noMemory } from './shares.ts';

/** Smaller responses are not charged, because a connection has one response at a time. */
const FREE_BYTES = 16 << 10;

/**
 * Charges responses to the memory of their key until the client has read them; those to requests without a key share the
 * memory of one key. Streams keep only a few pieces in memory, and limit them themselves.
 */
export function chargeResponses(app: FastifyInstance, responses: SharedBudget): void {
  app.addHook<unknown>('onSend', (request, reply, payload, done) => {
    const bytes = sizeOf(payload);
    // Errors are not charged: otherwise the problem that reports a lack of memory would be refused, too.
    if (bytes < FREE_BYTES || reply.statusCode >= 400) return done(null, payload);
    const holding = responses.open(keyOf(request));
    if (!holding.take(bytes)) return done(noMemory('Unread responses', responses, request, reply));
    onRequestEnd(reply, () => holding.release());
    done(null, payload);
  });
}

function sizeOf(payload: unknown): number {
  if (Buffer.isBuffer(payload)) return payload.length;
  return typeof payload === 'string' ? Buffer.byteLength(payload) : 0;
}
