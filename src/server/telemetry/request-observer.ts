import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { onRequestEnd } from '../http/request-end.ts';
import { loggedPath } from './logged-path.ts';

/** A request that has come to its end, as the log and the metrics tell it: nothing of what was in it. */
export interface RequestRecord {
  /** Goes back as X-Request-Id too. */
  id: string;
  method: string;
  /** As the routes have it, `/user/report/:id`; `none` where there is no such endpoint. */
  route: string;
  /** Its words that our routes have, and the report's id; see `loggedPath`. */
  path: string;
  /** Of the client, or of the proxy in front. */
  address: string | undefined;
  /** The report that was used; undefined where none was found. */
  report: string | undefined;
  /** Rows or personas that were given a prediction. */
  rows: number;
  /** `gone` where the client did not wait for the whole answer. */
  status: number | 'gone';
  milliseconds: number;
  /** The name of its key. */
  key: string | undefined;
}

/** Told of each request, once at its beginning and once at its end. */
export interface RequestObserver {
  started?(): void;
  ended(request: RequestRecord): void;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The report that the request is about, as it was named; see `authorize`. */
    report: string | undefined;
    /** Personas that were given a prediction so far. */
    rows: number;
  }
}

/** After these a report was found; an id that was not could be anything, such as a key in the wrong place. */
const isFound = (status: number): boolean => status < 400 || status === 410 || status === 422;

/** Has a request observed, from here to its end. */
export function observe(
  request: FastifyRequest,
  reply: FastifyReply,
  observers: readonly RequestObserver[],
): void {
  const begun = performance.now();
  for (const observer of observers) observer.started?.();
  onRequestEnd(reply, () => {
    const isUsed = request.rows > 0 || (isFound(reply.statusCode) && reply.sent);
    const report = isUsed ? request.report : undefined;
    const route = request.routeOptions.url ?? 'none';
    const answered: RequestRecord = {
      id: request.id,
      method: request.method,
      route,
      path: loggedPath(request.url, report),
      address: request.ip,
      report,
      // Not there yet where a path was refused before any route.
      rows: request.rows ?? 0,
      status: reply.raw.writableFinished ? reply.statusCode : 'gone',
      milliseconds: performance.now() - begun,
      key: request.principal?.name,
    };
    for (const observer of observers) observer.ended(answered);
  });
}

export function observeAll(app: FastifyInstance, observers: readonly RequestObserver[]): void {
  app.addHook('onRequest', async (request, reply) => observe(request, reply, observers));
}

/**
 * Has a request observed that never became one, because its head was malformed, too large or too slow.
 *
 * @param status what it was refused with
 */
export function observeMalformed(
  address: string | undefined,
  status: number,
  observers: readonly RequestObserver[],
): void {
  const answered: RequestRecord = {
    ...{ id: randomUUID(), method: 'none', route: 'malformed', path: '(malformed head)', address, status },
    ...{ report: undefined, rows: 0, milliseconds: 0, key: undefined },
  };
  for (const observer of observers) {
    observer.started?.();
    observer.ended(answered);
  }
}
