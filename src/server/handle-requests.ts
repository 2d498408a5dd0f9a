import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify';
import { receiveBody } from './http/request-body.ts';
import { chargeResponses } from './limits/shares.ts';
import { sendProblem } from './problems/problems.ts';
import { drainRequest, onRequestEnd } from './request-end.ts';
import { noSuchEndpoint } from './routes.ts';
import type { Extension, Shared } from './service.ts';
import { observe, type RequestObserver } from './telemetry/request-observer.ts';

/**
 * What applies to the requests of all routes, from their body to the end of their response.
 *
 * @param notFound by default, a problem document
 */
export function handleRequests(
  app: FastifyInstance,
  { limits, fairUse, isClosing }: Pick<Shared, 'limits' | 'fairUse' | 'isClosing'>,
  observers: readonly RequestObserver[],
  notFound: Extension['notFound'] = noSuchEndpoint,
): void {
  app.removeAllContentTypeParsers();
  // The routes parse the body themselves, in slices.
  app.addContentTypeParser('application/json', (request: FastifyRequest, payload: RequestPayload) =>
    receiveBody(request, payload, limits.bodyBytes),
  );
  app.setErrorHandler(sendProblem);
  app.setNotFoundHandler(notFound);
  app.decorateRequest('principal', null);
  // Replaced once there is a key or a session.
  app.decorateRequest('recheck', async () => {});
  app.decorateRequest('report', undefined);
  app.decorateRequest('rows', 0);
  app.decorateRequest('bodyMemory', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(requestIdHeader, request.id);
    drainRequest(request, reply, limits.drainMs);
    observe(request, reply, observers);
    done();
  });
  chargeResponses(app, fairUse.shares.responses);
  // A response's source is closed with it, even if the response never starts.
  app.addHook('onSend', (_, reply, payload, done) => {
    if (payload instanceof Readable) onRequestEnd(reply, () => payload.destroy());
    done();
  });
  // Tells the client that the connection closes.
  app.addHook('onSend', ({ raw }, reply, _, done) => {
    if (raw.complete && isClosing()) reply.header('connection', 'close');
    done();
  });
}

/** The header that carries a request's id, in both directions. */
export const requestIdHeader = 'x-request-id';

/** Excludes anything that could break a log line, or flood the log. */
const sane = /^[\w.:/+=@-]{1,128}$/;

/** The id of a request in the log and in its response: the client's own, if it is valid, or a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers[requestIdHeader];
  return typeof given === 'string' && sane.test(given) ? given : randomUUID();
}
