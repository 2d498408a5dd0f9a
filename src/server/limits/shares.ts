import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { counted } from '../../base/number-text.ts';
import type { Principal } from '../auth/principal.ts';
import { RequestError } from '../problems/problems.ts';
import { onRequestEnd } from '../request-end.ts';
import type { Limits } from '../service-limits.ts';
import { SharedBudget, UploadMemory } from './shared-budget.ts';

/** The resources that keys share. */
export interface Shares {
  /** Concurrent requests: each holds memory, often a file, and may hold a connection. */
  requests: SharedBudget;
  /** Upload slots. */
  uploads: SharedBudget;
  /** Bytes of JSON bodies in memory. */
  bodies: SharedBudget;
  /** Bytes of responses in memory: a client may leave one unread for as long as it likes, unlike a body. */
  responses: SharedBudget;
  /** What uploads have in memory. */
  uploadMemory: UploadMemory;
  /** Bytes of responses on disk. */
  spill: SharedBudget;
}

/** The limit of connections also limits requests, since a connection with a request is never closed to make room. */
export function openShares(
  { connections, uploads, memoryBytes, responseBytes, uploadBytes, maxSpillBytes }: Limits,
  onRefused: (refusal: Refusal) => void,
): Shares {
  return {
    requests: new SharedBudget(connections, () => onRefused('requests')),
    uploads: new SharedBudget(uploads, () => onRefused('uploads')),
    bodies: new SharedBudget(memoryBytes, () => onRefused('memory')),
    responses: new SharedBudget(responseBytes, () => onRefused('memory')),
    uploadMemory: new UploadMemory(uploadBytes),
    spill: new SharedBudget(maxSpillBytes, () => onRefused('spill')),
  };
}

const REQUEST_RETRY_SECONDS = 1;
const UPLOAD_RETRY_SECONDS = 5;

/** Limits each key to its share of the concurrent requests. */
export function shareRequests(app: FastifyInstance, requests: SharedBudget): void {
  app.addHook('onRequest', (request, reply, done) => {
    takeOne(requests, request, reply, { what: 'concurrent requests', retrySeconds: REQUEST_RETRY_SECONDS });
    done();
  });
}

/** Takes an upload slot until the request ends. */
export function takeUploadSlot(uploads: SharedBudget, request: FastifyRequest, reply: FastifyReply): void {
  takeOne(uploads, request, reply, { what: 'concurrent uploads', retrySeconds: UPLOAD_RETRY_SECONDS });
}

interface Unit {
  what: string;
  retrySeconds: number;
}

function takeOne(
  budget: SharedBudget,
  request: FastifyRequest,
  reply: FastifyReply,
  { what, retrySeconds }: Unit,
): void {
  const key = keyOf(request);
  const holding = budget.open(key);
  if (!holding.take(1)) {
    const counts = `This key has ${budget.heldBy(key)} of the ${budget.total} ${what}`;
    throw busy(reply, `${counts}; ${SHARE}`, retrySeconds);
  }
  onRequestEnd(reply, () => holding.release());
}

/** The error for a key whose bodies, or unread responses, take up its share of the memory for them. */
export function noMemory(
  what: 'Request bodies' | 'Unread responses',
  memory: SharedBudget,
  request: FastifyRequest,
  reply: FastifyReply,
): RequestError {
  const held = memory.heldBy(keyOf(request));
  const sizes = `${what} of this key take up ${counted(held)} of the ${counted(memory.total)} bytes of memory`;
  return busy(reply, `${sizes}; ${SHARE}`, REQUEST_RETRY_SECONDS);
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

/**
 * Why a request was rejected or aborted: its key exceeded a rate limit or its share of a common resource, or its
 * upload was below the minimum rate.
 */
export type Refusal = keyof typeof texts;

const texts = {
  request_rate: 'requests over the rate limit',
  row_rate: 'requests over the row rate limit',
  requests: 'requests over the key’s share of concurrent requests',
  uploads: 'uploads over the key’s share of upload slots',
  memory: 'requests over the key’s share of memory',
  spill: 'responses over the disk limit',
  slow_upload: 'uploads below the minimum rate',
} as const;

// `Object.keys` is typed as string[].
export const refusals = Object.keys(texts) as Refusal[];

/** The log message for the refusals since the previous one. */
export function describeRefusals(counts: Partial<Record<Refusal, number>>): string {
  const parts = refusals.flatMap(refusal => {
    const count = counts[refusal];
    return count === undefined ? [] : [`${texts[refusal]} (${count})`];
  });
  return `rejected or aborted: ${parts.join(', ')}`;
}
