import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify';
import { drainRequest } from './http/drain-request.ts';
import { receiveBody } from './http/received-body.ts';
import { requestIdHeader } from './http/request-id.ts';
import { chargeResponses } from './limits/charge-responses.ts';
import type { SharedBudget } from './limits/shared-budget.ts';
import { sendProblem } from './problems/send-problem.ts';
import { onRequestEnd } from './request-end.ts';
import type { Extension } from './service.ts';
import type { Limits } from './service-limits.ts';
import { observeAll, type RequestObserver } from './telemetry/request-observer.ts';
import { noSuchEndpoint } from './user-routes.ts';

export interface RequestHandling {
  limits: Pick<Limits, 'bodyBytes' | 'drainMs'>;
  /** Memory that is shared by the responses to all requests. */
  responses: SharedBudget;
  observers: readonly RequestObserver[];
  /** By default, a problem document. */
  notFound: Extension['notFound'] | undefined;
  /** Whether connections close after their next response. */
  isClosing(): boolean;
}

/** What applies to the requests of all routes, from their body to the end of their response. */
export function handleRequests(
  app: FastifyInstance,
  { limits, responses, observers, notFound, isClosing }: RequestHandling,
): void {
  app.removeAllContentTypeParsers();
  // The routes parse the body themselves, in slices.
  app.addContentTypeParser('application/json', (request: FastifyRequest, payload: RequestPayload) =>
    receiveBody(request, payload, limits.bodyBytes),
  );
  app.setErrorHandler(sendProblem);
  app.setNotFoundHandler(notFound ?? noSuchEndpoint);
  app.decorateRequest('principal', null);
  // Replaced once there is a key or a session.
  app.decorateRequest('recheck', async () => {});
  app.decorateRequest('report', undefined);
  app.decorateRequest('rows', 0);
  app.decorateRequest('bodyMemory', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(requestIdHeader, request.id);
    drainRequest(request, reply, limits.drainMs);
    done();
  });
  observeAll(app, observers);
  chargeResponses(app, responses);
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
