import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { RequestError } from '../problems/problems.ts';
import { isGone, onRequestEnd } from '../request-end.ts';

/** Aborts streamed responses when their key is revoked or expires, also while the client does not read. */
export function endWithKey(app: FastifyInstance, recheckMs: number): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (payload instanceof Readable) watch(payload, request, reply, recheckMs);
    done();
  });
}

function watch(payload: Readable, request: FastifyRequest, reply: FastifyReply, recheckMs: number): void {
  const timer = setInterval(() => {
    request.recheck().catch(error => {
      // If the keys cannot be read, the next look decides.
      if (!(error instanceof RequestError) || isGone(reply)) return;
      request.log.warn({ event: 'response_aborted' }, `response aborted: ${error.message}`);
      payload.destroy(error);
      // The stream may close only after its next part.
      reply.raw.destroy();
    });
  }, recheckMs).unref();
  onRequestEnd(reply, () => clearInterval(timer));
}
