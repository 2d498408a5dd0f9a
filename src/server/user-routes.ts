import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { readReportResponse, testingResults } from '../reports/report-store.ts';
import { shuttingDown } from './admin/readiness.ts';
import { authorize, requireKey } from './auth/require-key.ts';
import { batchPredict } from './batch-predict/route.ts';
import { trackAllowedMethods } from './http/method-not-allowed.ts';
import { bodyReader } from './http/request-body.ts';
import { isGone } from './http/request-end.ts';
import { keyOf, shareRequests } from './limits/shares.ts';
import { batchPersona } from './predict/batch-persona.ts';
import { notAPersona } from './predict/encode-personas.ts';
import { openCall } from './predict/persona-request.ts';
import { RequestError } from './problems/problems.ts';
import type { Shared } from './service.ts';

const jsonType = 'application/json; charset=utf-8';

/** The endpoints under /user. Every path below it needs a key, including paths that do not exist. */
export const userRoutes: FastifyPluginAsync<Shared> = async (app, options) => {
  const { home, keys, models, limits, limitRate, fairUse, isClosing, onScored } = options;
  const { shares, rowRate, turns } = fairUse;
  app.addHook('onRequest', async (_, reply) => {
    if (!isClosing()) return;
    reply.header('retry-after', '1');
    throw shuttingDown();
  });
  requireKey(app, keys);
  // The key lookup reads the disk, and the connection may have closed meanwhile.
  app.addHook('onRequest', async (_, reply) => {
    if (isGone(reply)) throw new RequestError('malformed', 'The connection was closed.');
  });
  if (limitRate !== undefined) app.addHook('onRequest', limitRate);
  shareRequests(app, shares.requests);
  app.setNotFoundHandler(noSuchEndpoint);
  const refuseOtherMethods = trackAllowedMethods(app);
  const json = {
    config: { scope: 'predict' as const },
    bodyLimit: limits.bodyBytes,
    // Runs before the body is read.
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => fairUse.checkRows(request, reply),
    preParsing: bodyReader(limits, shares.bodies),
  };

  app.post('/persona', json, async (request, reply) => {
    const { id, content, end } = openCall(request.body, 'features');
    authorize(request, id);
    const { model, personas, responses } = await models.predictor(id);
    if (content === undefined) throw new RequestError(notAPersona.code, notAPersona.message);
    const { values, errors } = personas.readFeatures(content);
    end();
    const error = errors.get(0);
    if (error !== undefined) throw new RequestError(error.code, error.message);
    // Other requests of the key may have been charged meanwhile.
    fairUse.checkRows(request, reply);
    rowRate.charge(keyOf(request), 1);
    const probabilities = model.engine.predict(values, 1);
    onScored(request, 1);
    return reply.type(jsonType).send(responses.single(id, probabilities));
  });

  app.post('/batch-persona', json, async (request, reply) => {
    const call = openCall(request.body, 'personas');
    authorize(request, call.id);
    const { predictor, release } = await models.hold(call.id);
    const key = keyOf(request);
    let hasBegun = false;
    try {
      const body = await batchPersona(call, predictor, {
        isGone: () => isGone(reply),
        nextTurn: () => turns.next(key),
        onRows(rows) {
          // Other requests of the key may have been charged meanwhile; this one is not aborted once it has started.
          if (!hasBegun) fairUse.checkRows(request, reply);
          hasBegun = true;
          rowRate.charge(key, rows);
        },
        onScored: personas => onScored(request, personas),
      });
      return reply.type(jsonType).send(body);
    } finally {
      release();
    }
  });

  app.get<{ Params: { id: string } }>('/report/:id', { config: { scope: 'report' } }, request => {
    authorize(request, request.params.id);
    return readReportResponse(home, request.params.id);
  });

  app.get<{ Params: { id: string } }>(
    '/testing-results/:id',
    { config: { scope: 'testing-results' } },
    async (request, reply) => {
      authorize(request, request.params.id);
      const results = await testingResults(home, request.params.id);
      return reply.type('text/csv; charset=utf-8').send(results);
    },
  );

  await app.register(batchPredict, { home, models, limits, fairUse, onScored });

  refuseOtherMethods();
};

/** Responds to an unknown path. */
export function noSuchEndpoint(request: FastifyRequest): never {
  const [path] = request.url.split('?', 1);
  throw new RequestError('no_such_endpoint', `No such endpoint: ${request.method} ${path}.`);
}
