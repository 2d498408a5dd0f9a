import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { onRequestEnd } from '../http/request-end.ts';
import type { FairUse } from '../limits/fair-use.ts';
import { keyOf } from '../limits/shares.ts';

/**
 * Makes the batches of an upload wait for their turns, and for the row rate limit of its key: an upload is slowed down
 * where other requests would be rejected.
 *
 * @returns a function to await before scoring a batch of that many rows; it rejects if the request ends meanwhile
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
      // The connection is idle because of the service, not the client.
      socket.setTimeout(0);
      await sleep(wait, undefined, { signal: end.signal }).finally(() => socket.setTimeout(idleMs));
    }
    await turns.next(key);
  };
}
