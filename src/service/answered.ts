import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { shown } from '../shown.ts';
import { onRequestEnd } from './request-end.ts';

/** A request that has come to its end, as the log and the metrics tell it: nothing of what was in it. */
export interface Answered {
  /** Goes back as X-Request-Id too. */
  id: string;
  method: string;
  /** As the routes have it, `/user/report/:id`; `none` where there is no such endpoint. */
  route: string;
  /** As it was asked for, its query taken off. */
  path: string;
  /** `gone` where the client did not wait for the whole answer. */
  status: number | 'gone';
  milliseconds: number;
  /** The name of its key. */
  key: string | undefined;
}

/** Told of each request, once at its beginning and once at its end. */
export interface Observer {
  begun?(): void;
  answered(request: Answered): void;
}

/** Has a request observed, from here to its end. */
export function observe(request: FastifyRequest, reply: FastifyReply, observers: readonly Observer[]): void {
  const begun = performance.now();
  for (const observer of observers) observer.begun?.();
  onRequestEnd(reply, () => {
    const answered: Answered = {
      id: request.id,
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      path: shown(request.url.split('?', 1)[0] ?? ''),
      status: reply.raw.writableFinished ? reply.statusCode : 'gone',
      milliseconds: performance.now() - begun,
      key: request.holder?.name,
    };
    for (const observer of observers) observer.answered(answered);
  });
}

export function observeAll(app: FastifyInstance, observers: readonly Observer[]): void {
  app.addHook('onRequest', async (request, reply) => observe(request, reply, observers));
}
