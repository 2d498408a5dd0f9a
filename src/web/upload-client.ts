import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestError } from '../server/problems/problems.ts';
import { onRequestEnd } from '../server/request-end.ts';
import { sessionEnded, sessionOf } from './session/require-session.ts';

/** Who has sent a file, and waits for what is made of it. */
export interface UploadClient {
  /** Aborted, with the error as its reason, when the connection is closed or the session ends. */
  gone: AbortSignal;
  /** Waits for work during which nothing is sent, so that the connection does not count as idle. */
  waits<T>(work: Promise<T>): Promise<T>;
}

export function uploadClient(
  request: FastifyRequest,
  reply: FastifyReply,
  { idleMs }: { idleMs: number },
): UploadClient {
  const { socket } = request.raw;
  const { ended } = sessionOf(request);
  const gone = new AbortController();
  const onEnded = (): void => gone.abort(sessionEnded());
  if (ended.aborted) onEnded();
  else ended.addEventListener('abort', onEnded);
  onRequestEnd(reply, () => {
    ended.removeEventListener('abort', onEnded);
    gone.abort(new RequestError('malformed', 'The connection was closed.'));
  });
  return {
    gone: gone.signal,
    async waits(work) {
      socket.setTimeout(0);
      try {
        return await work;
      } finally {
        socket.setTimeout(idleMs);
      }
    },
  };
}
