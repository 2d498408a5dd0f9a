import type { FastifyInstance, FastifyPluginCallback, FastifyRequest } from 'fastify';
import { mostPersonas, reportId } from '../api/shapes.ts';
import { keyChecker } from './authorization.ts';
import type { Models } from './models.ts';
import { RequestError } from './problems.ts';
import { readReport, testingResults } from './reports.ts';

export interface RouteOptions {
  home: string;
  key: string;
  models: Models;
  /** True once the service closes: then it answers 503 and lets go of the connection. */
  draining(): boolean;
}

const jsonType = 'application/json; charset=utf-8';

/** The endpoints under /user; every one of them, and every path there that is none, wants the key. */
export const userRoutes: FastifyPluginCallback<RouteOptions> = (app, options, done) => {
  const { home, models } = options;
  guard(app, options);

  app.post('/persona', async (request, reply) => {
    const { id, ...persona } = envelope(request.body);
    const { model, encode, answers } = await models.predictor(id);
    const { columns, errors } = encode([persona]);
    const error = errors.get(0);
    if (error !== undefined) throw new RequestError(error.code, error.message);
    return reply.type(jsonType).send(answers.single(id, model.engine.predict(columns)));
  });

  app.post('/batch-persona', async (request, reply) => {
    const { id, personas } = envelope(request.body);
    const list = personaList(personas);
    const { model, encode, answers } = await models.predictor(id);
    const encoded = encode(list);
    return reply.type(jsonType).send(answers.batch(id, encoded, model.engine.predict(encoded.columns)));
  });

  app.get<{ Params: { id: string } }>('/report/:id', request => readReport(home, request.params.id));

  app.get<{ Params: { id: string } }>('/testing-results/:id', async (request, reply) => {
    const results = await testingResults(home, request.params.id);
    return reply.type('text/csv; charset=utf-8').send(results);
  });

  done();
};

function guard(app: FastifyInstance, { key, draining }: RouteOptions): void {
  const hasKey = keyChecker(key);
  app.addHook('onRequest', async (request, reply) => {
    if (draining()) {
      reply.header('connection', 'close').header('retry-after', '1');
      throw new RequestError('draining', 'The service is shutting down.');
    }
    if (!hasKey(request.headers.authorization)) {
      reply.header('www-authenticate', 'ApiKey');
      throw new RequestError('unauthorized', 'The request needs the header "Authorization: ApiKey <key>".');
    }
  });
  app.setNotFoundHandler(noSuchEndpoint);
}

/** What both kinds of request share. Only the envelope is checked here; personas are on their own. */
function envelope(body: unknown): { id: string; personas?: unknown; features?: unknown } {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new RequestError('malformed', 'The body is not a JSON object.');
  }
  const id = reportId.safeParse('id' in body ? body.id : undefined);
  if (!id.success) throw new RequestError('malformed', 'The body has no "id" that a report could have.');
  return { ...body, id: id.data };
}

function personaList(personas: unknown): unknown[] {
  if (!Array.isArray(personas) || personas.length === 0) {
    throw new RequestError('malformed', 'The body has no "personas", a list with at least one persona.');
  }
  if (personas.length > mostPersonas) {
    throw new RequestError(
      'too_many_personas',
      `${personas.length} personas are too many for one call; the limit is ${mostPersonas}.`,
    );
  }
  return personas;
}

/** Answers a path that leads nowhere. */
export function noSuchEndpoint(request: FastifyRequest): never {
  const [path] = request.url.split('?', 1);
  throw new RequestError('no_such_endpoint', `There is no ${request.method} ${path}.`);
}
