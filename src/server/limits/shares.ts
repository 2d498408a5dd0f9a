import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Limits } from '../http/limits.ts';
import { onRequestEnd } from '../http/request-end.ts';
import { RequestError } from '../problems/problems.ts';
import type { Refusal } from './refusals.ts';
import { SharedBudget } from './shared-budget.ts';

/** What keys share. */
export interface Shares {
  /** Requests in progress, pipelined ones among them: each holds memory, often a file, and may hold a connection. */
  requests: SharedBudget;
  /** Slots. */
  uploads: SharedBudget;
  /** Bytes of JSON bodies in memory. */
  bodies: SharedBudget;
  /** Bytes on disk. */
  spill: SharedBudget;
}

/** There are as many requests in progress as connections, since one with a request in progress is never closed to make room. */
export function openShares(
  { connections, uploads, bodiesBytes, maxSpillBytes }: Limits,
  onRefused: (refusal: Refusal) => void,
): Shares {
  return {
    requests: new SharedBudget(connections, () => onRefused('requests')),
    uploads: new SharedBudget(uploads, () => onRefused('uploads')),
    bodies: new SharedBudget(bodiesBytes, () => onRefused('bodies')),
    spill: new SharedBudget(maxSpillBytes, () => onRefused('spill')),
  };
}

const REQUEST_RETRY_SECONDS = 1;
const UPLOAD_RETRY_SECONDS = 5;

/** Gives each key a share of the requests in progress. */
export function shareRequests(app: FastifyInstance, requests: SharedBudget): void {
  app.addHook('onRequest', async (request, reply) => {
    takeOne(requests, request, reply, { what: 'requests in progress', retrySeconds: REQUEST_RETRY_SECONDS });
  });
}

/** Takes an upload slot until the request ends. */
export function takeUploadSlot(uploads: SharedBudget, request: FastifyRequest, reply: FastifyReply): void {
  takeOne(uploads, request, reply, { what: 'uploads in progress', retrySeconds: UPLOAD_RETRY_SECONDS });
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
    const counts = `This key has ${budget.heldBy(key)} of at most ${budget.total} ${what}`;
    throw busy(reply, `${counts}, ${SHARE}`, retrySeconds);
  }
  onRequestEnd(reply, () => holding.release());
}

/** Ends a sentence about what a key holds. */
export const SHARE = 'and may have no more than it leaves free for others.';

/** Whose share a request counts towards. */
export const keyOf = ({ principal }: FastifyRequest): string => principal?.name ?? '';

/** A refusal because a key's share is used up. */
export function busy(reply: FastifyReply, detail: string, retrySeconds: number): RequestError {
  reply.header('retry-after', String(retrySeconds));
  return new RequestError('busy', detail);
}
