import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, preParsingAsyncHookHandler } from 'fastify';
import { onAbort } from '../../base/interrupted.ts';
import { uploadBody } from '../../server/batch-predict/upload-body.ts';
import { RequestError } from '../../server/problems/problems.ts';
import { onRequestEnd } from '../../server/request-end.ts';
import type { PlatformContext } from '../context.ts';
import { sessionEnded, sessionOf } from './require-session.ts';

/** Aborts downloads whose session ends. Events are not aborted, because they tell that it has ended. */
export function endDownloads(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const isEvents = String(reply.getHeader('content-type')).startsWith('text/event-stream');
    if (payload instanceof Readable && !isEvents) destroyWithSession(payload, request, reply);
  });
}

/** Passes on the body of an upload, which fails if its session ends. */
export function sessionUpload(context: PlatformContext): preParsingAsyncHookHandler {
  const read = uploadBody(context);
  return async function (request, reply, payload) {
    const body = await read.call(this, request, reply, payload);
    if (body instanceof Readable) destroyWithSession(body, request, reply);
    return body;
  };
}

function destroyWithSession(stream: Readable, request: FastifyRequest, reply: FastifyReply): void {
  const { ended } = sessionOf(request);
  onRequestEnd(
    reply,
    onAbort(ended, () => stream.destroy(sessionEnded())),
  );
}

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
  const callOff = onAbort(ended, () => gone.abort(sessionEnded()));
  onRequestEnd(reply, () => {
    callOff();
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
