import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FairUse } from '../limits/fair-use.ts';
import { keyOf } from '../limits/shares.ts';
import { onRequestEnd } from '../request-end.ts';

/** When the batches of an upload may be scored. */
export interface UploadTurns {
  /** The key that the upload is charged to. */
  key: string;
  /** Waits until the key may have this many more rows scored; rejects if the request ends meanwhile. */
  pace(rows: number): Promise<void>;
  /** Rejects if the key or the session of the upload has ended. */
  recheck(): Promise<void>;
  /** Waits for the key's turn on the main thread. */
  own(): Promise<void>;
}

/**
 * Makes the batches of an upload wait for the row rate limit of its key, and for their turns: an upload is slowed down
 * where other requests would be rejected.
 *
 * @param ended ends the waiting; by default, the end of the request
 */
export function uploadTurns(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    fairUse: { rowRate, turns },
    idleMs,
    ended,
  }: { fairUse: FairUse; idleMs: number; ended?: AbortSignal | undefined },
): UploadTurns {
  const key = keyOf(request);
  const { socket } = request.raw;
  const end = new AbortController();
  if (ended === undefined) onRequestEnd(reply, () => end.abort());
  return {
    key,
    recheck: () => request.recheck(),
    own: () => turns.next(key),
    async pace(rows) {
      const wait = rowRate.charge(key, rows);
      if (wait === 0) return;
      // The connection is idle because of the service, not the client.
      socket.setTimeout(0);
      await sleep(wait, undefined, { signal: ended ?? end.signal }).finally(() => socket.setTimeout(idleMs));
    },
  };
}
