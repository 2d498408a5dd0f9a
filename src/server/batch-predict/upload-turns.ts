import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { onRequestEnd } from '../http/request-end.ts';
import type { FairUse } from '../limits/fair-use.ts';
import { keyOf } from '../limits/shares.ts';

/**
 * Has the batches of an upload wait for their turns, and for the rate of rows of its key: an upload is paced where a
 * call would be refused.
 *
 * @returns what to wait for before a batch of so many rows is scored; it fails when the request ends meanwhile
 */
export function uploadTurns(
  request: FastifyRequest,
  reply: FastifyReply,
  { fairUse: { rowRate, turns }, idleMs }: { fairUse: FairUse; idleMs: number },
): (rows: number) => Promise<void> {
  const key = keyOf(request);
  const { socket } = request.raw;
  const end = new AbortController();
  onRequestEnd(reply, () => end.abort());
  return async rows => {
    const wait = rowRate.charge(key, rows);
    if (wait > 0) {
      // The client is not the one that is idle.
      socket.setTimeout(0);
      await sleep(wait, undefined, { signal: end.signal }).finally(() => socket.setTimeout(idleMs));
    }
    await turns.next(key);
  };
}
