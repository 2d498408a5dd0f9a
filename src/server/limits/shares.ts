import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { counted } from '../../base/number-text.ts';
import type { Principal } from '../auth/principal.ts';
import { RequestError } from '../problems/problems.ts';
import { onRequestEnd } from '../request-end.ts';
import type { Limits } from '../service-limits.ts';
import { SharedBudget, UploadMemory } from './shared-budget.ts';

/**
 * The resources that keys share. The limit of connections also limits requests, since a connection with a request is
 * never closed to make room.
 */
export const openShares = (
  { connections, uploads, memoryBytes, responseBytes, uploadBytes, maxSpillBytes }: Limits,
  onRefused: (refusal: Refusal) => void,
) => ({
  /** Concurrent requests: each holds memory, often a file, and may hold a connection. */
  requests: new SharedBudget(connections, () => onRefused('requests')),
  /** Upload slots. */
  uploads: new SharedBudget(uploads, () => onRefused('uploads')),
  /** Bytes of JSON bodies in memory. */
  bodies: new SharedBudget(memoryBytes, () => onRefused('memory')),
  /** Bytes of responses in memory: a client may leave one unread for as long as it likes, unlike a body. */
  responses: new SharedBudget(responseBytes, () => onRefused('memory')),
  /** What uploads have in memory. */
  uploadMemory: new UploadMemory(uploadBytes),
  /** Bytes of responses on disk. */
  spill: new SharedBudget(maxSpillBytes, () => onRefused('spill')),
});

const RETRY_SECONDS = { 'concurrent requests': 1, 'concurrent uploads': 5 };

/** Takes one of what a key may have a share of, until the request ends. */
export function takeOne(
  what: keyof typeof RETRY_SECONDS,
  budget: SharedBudget,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const key = keyOf(request);
  const holding = budget.open(key);
  if (!holding.take(1)) {
    const counts = `This key has ${budget.heldBy(key)} of the ${budget.total} ${what}`;
    throw busy(reply, `${counts}; ${SHARE}`, RETRY_SECONDS[what]);
  }
  onRequestEnd(reply, () => holding.release());
}

/** Limits each key to its share of the concurrent requests. */
export const shareRequests =
  (requests: SharedBudget): onRequestHookHandler =>
  (request, reply, done) => {
    takeOne('concurrent requests', requests, request, reply);
    done();
  };

/** The error for a key whose bodies, or unread responses, take up its share of the memory for them. */
export function noMemory(
  what: 'Request bodies' | 'Unread responses',
  memory: SharedBudget,
  request: FastifyRequest,
  reply: FastifyReply,
): RequestError {
  const held = memory.heldBy(keyOf(request));
  const sizes = `${what} of this key take up ${counted(held)} of the ${counted(memory.total)} bytes of memory`;
  return busy(reply, `${sizes}; ${SHARE}`, 1);
}

/** The rule, to end a sentence about what a key holds. */
export const SHARE = 'a key may not hold more than it leaves free for others.';

/** The name of the key that a request is charged to. */
export const keyOf = ({ principal }: { principal: Principal | null }): string => principal?.name ?? '';

/** The error for a key whose share is used up. */
export function busy(reply: FastifyReply, detail: string, retrySeconds: number): RequestError {
  reply.header('retry-after', String(retrySeconds));
  return new RequestError('busy', detail);
}

/** Smaller responses are not charged, because a connection has one response at a time. */
const FREE_BYTES = 16 << 10;

/**
 * Charges responses to the memory of their key until the client has read them; those to requests without a key share
 * the memory of one key. Streams keep only a few pieces in memory, and limit them themselves.
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

/**
 * Why a request was rejected or aborted: its key exceeded a rate limit or its share of a common resource, or its
 * upload was below the minimum rate.
 */
export const refusals = {
  request_rate: 'requests over the rate limit',
  row_rate: 'requests over the row rate limit',
  requests: 'requests over the key’s share of concurrent requests',
  uploads: 'uploads over the key’s share of upload slots',
  memory: 'requests over the key’s share of memory',
  spill: 'responses over the disk limit',
  slow_upload: 'uploads below the minimum rate',
} as const;

export type Refusal = keyof typeof refusals;
