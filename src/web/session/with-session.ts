import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, preParsingAsyncHookHandler } from 'fastify';
import { uploadBody } from '../../server/batch-predict/upload-body.ts';
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
  const destroy = (): void => {
    stream.destroy(sessionEnded());
  };
  if (ended.aborted) destroy();
  else ended.addEventListener('abort', destroy);
  onRequestEnd(reply, () => ended.removeEventListener('abort', destroy));
}
