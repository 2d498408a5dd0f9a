import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { checkGrant, requireKey } from './authorization.ts';
import { batchPredict } from './batch-predict.ts';
import { bodyReader } from './bodies.ts';
import type { KeyRing } from './key-ring.ts';
import type { Limits } from './limits.ts';
import { watchMethods } from './methods.ts';
import type { Models } from './models.ts';
import { RequestError } from './problems.ts';
import { readReport, testingResults } from './reports.ts';
import { isGone } from './request-end.ts';
import { readBatch, readPersona } from './requests.ts';

export interface RouteOptions {
  home: string;
  keys: KeyRing;
  models: Models;
  limits: Limits;
  /** Requests a second that each key may make; as many as it likes where it is left out. */
  rateLimit?: number | undefined;
  /** True once the service closes: then it answers 503 and lets go of the connection. */
  draining(): boolean;
  /** Told how many personas were given a prediction. */
  onScored(personas: number): void;
}

const jsonType = 'application/json; charset=utf-8';

/** The endpoints under /user; every one of them, and every path there that is none, wants a key. */
export const userRoutes: FastifyPluginAsync<RouteOptions> = async (app, options) => {
  const { home, keys, models, limits, rateLimit, draining, onScored } = options;
  app.addHook('onRequest', async (_, reply) => {
    if (!draining()) return;
    reply.header('retry-after', '1');
    throw new RequestError('draining', 'The service is shutting down.');
  });
  requireKey(app, keys);
  // Keys are looked up on disk, and the connection may have closed meanwhile.
  app.addHook('onRequest', async (_, reply) => {
    if (isGone(reply)) throw new RequestError('malformed', 'The connection broke off.');
  });
  // Loaded where it is used only.
  if (rateLimit !== undefined) await (await import('./rate-limit.ts')).limitRate(app, rateLimit);
  app.setNotFoundHandler(noSuchEndpoint);
  const refuseOtherMethods = watchMethods(app);
  const json = { bodyLimit: limits.bodyBytes, preParsing: bodyReader(limits) };

  app.post('/persona', json, async (request, reply) => {
    const { id, features } = readPersona(request.body);
    checkGrant(request, id);
    const { model, encode, answers } = await models.predictor(id);
    const { columns, errors } = encode([{ features }]);
    const error = errors.get(0);
    if (error !== undefined) throw new RequestError(error.code, error.message);
    const probabilities = model.engine.predict(columns);
    onScored(1);
    return reply.type(jsonType).send(answers.single(id, probabilities));
  });

  app.post('/batch-persona', json, async (request, reply) => {
    const { id, personas } = readBatch(request.body);
    checkGrant(request, id);
    const { model, encode, answers } = await models.predictor(id);
    const encoded = encode(personas);
    const probabilities = model.engine.predict(encoded.columns);
    onScored(personas.length - encoded.errors.size);
    return reply.type(jsonType).send(answers.batch(id, encoded, probabilities));
  });

  app.get<{ Params: { id: string } }>('/report/:id', request => {
    checkGrant(request, request.params.id);
    return readReport(home, request.params.id);
  });

  app.get<{ Params: { id: string } }>('/testing-results/:id', async (request, reply) => {
    checkGrant(request, request.params.id);
    const results = await testingResults(home, request.params.id);
    return reply.type('text/csv; charset=utf-8').send(results);
  });

  await app.register(batchPredict, { home, models, limits, onScored });

  refuseOtherMethods();
};

/** Answers a path that leads nowhere. */
export function noSuchEndpoint(request: FastifyRequest): never {
  const [path] = request.url.split('?', 1);
  throw new RequestError('no_such_endpoint', `There is no ${request.method} ${path}.`);
}
