import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { readReportResponse, testingResults } from '../models/store/report-store.ts';
import { type Readiness, shuttingDown } from './admin/readiness.ts';
import { authorize, endWithKey, requireKey } from './auth/require-key.ts';
import { batchPredictRoute } from './batch-predict/route.ts';
import { trackAllowedMethods } from './http/method-not-allowed.ts';
import { bodyReader, type ReceivedBody, releaseBody } from './http/request-body.ts';
import { KeyTurns } from './limits/fair-turns.ts';
import type { FairUse } from './limits/fair-use.ts';
import { keyOf, noMemory, shareRequests } from './limits/shares.ts';
import { type ContentMember, PersonaWork } from './predict/persona-work.ts';
import { RequestError } from './problems/problems.ts';
import { checkConnected, onRequestEnd } from './request-end.ts';
import type { Shared } from './service.ts';
import type { ServiceMetrics } from './telemetry/metrics.ts';
import { type Asker, LARGE_REQUEST_BYTES, type PersonaJob } from './threads/service-threads.ts';

/** The endpoints under /user. Every path below it needs a key, including paths that do not exist. */
export async function userRoutes(app: FastifyInstance, options: Shared): Promise<void> {
  const { home, keys, limits, limitRate, fairUse, isClosing } = options;
  const { shares } = fairUse;
  app.addHook('onRequest', (_, reply, done) => {
    if (!isClosing()) return done();
    reply.header('retry-after', '1');
    done(shuttingDown());
  });
  requireKey(app, keys);
  endWithKey(app, limits.recheckMs);
  // The key lookup reads the disk, and the connection may have closed meanwhile.
  app.addHook('onRequest', (_, reply, done) => {
    checkConnected(reply);
    done();
  });
  if (limitRate !== undefined) app.addHook('onRequest', limitRate);
  app.addHook('onRequest', shareRequests(shares.requests));
  app.setNotFoundHandler(noSuchEndpoint);
  const refuseOtherMethods = trackAllowedMethods(app);
  const json = {
    config: { scope: 'predict' as const },
    bodyLimit: limits.bodyBytes,
    // Runs before the body is read.
    onRequest(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
      fairUse.checkRows(request, reply);
      done();
    },
    preParsing: bodyReader(limits, shares.bodies),
  };

  app.post<PersonaRoute>('/persona', json, scorePersonas('features', options));
  app.post<PersonaRoute>('/batch-persona', json, scorePersonas('personas', options));

  // A report may take megabytes, and several times as many while it is read.
  const reads = new KeyTurns();
  app.get<{ Params: { id: string } }>(
    '/report/:id',
    { config: { scope: 'report' } },
    async (request, reply) => {
      const { id } = request.params;
      authorize(request, id);
      const text = await reads.run(keyOf(request), async () => {
        checkConnected(reply);
        return JSON.stringify(await readReportResponse(home, id));
      });
      return reply.type(jsonType).send(text);
    },
  );

  app.get<{ Params: { id: string } }>(
    '/testing-results/:id',
    { config: { scope: 'testing-results' } },
    async (request, reply) => {
      authorize(request, request.params.id);
      const results = await testingResults(home, request.params.id);
      return reply.type('text/csv; charset=utf-8').send(results);
    },
  );

  await app.register(upload => batchPredictRoute(upload, options));

  refuseOtherMethods();
}

/** Responds to an unknown path. */
export function noSuchEndpoint(request: FastifyRequest): never {
  const [path] = request.url.split('?', 1);
  throw new RequestError('no_such_endpoint', `No such endpoint: ${request.method} ${path}.`);
}

/** Routes without authentication: health, readiness, metrics, OpenAPI. Responses must not contain secrets. */
export const publicRoutes: FastifyPluginAsync<{
  readiness: Readiness;
  metrics: ServiceMetrics | undefined;
}> = async (app, { readiness, metrics }) => {
  const refuseOtherMethods = trackAllowedMethods(app);

  app.get('/healthz', async () => ({ status: 'alive' }));

  app.get('/readyz', async (_, reply) => {
    const problem = await readiness.problem();
    if (problem === undefined) return { status: 'ready' };
    reply.header('retry-after', '1');
    throw problem;
  });

  let document: Promise<Buffer> | undefined;
  app.get('/openapi.json', async (_, reply) => {
    // Built once, as bytes that all responses share: requests without a key must not cause work or take memory.
    document ??= openApiBytes();
    return reply.type('application/json').send(await document);
  });

  if (metrics !== undefined) {
    app.get('/metrics', async (_, reply) => reply.type(metrics.contentType).send(await metrics.text()));
  }

  refuseOtherMethods();
};

/** Built on first use: that takes longer than setting up all other routes. */
async function openApiBytes(): Promise<Buffer> {
  const { openApiDocument } = await import('./openapi/document.ts');
  return Buffer.from(JSON.stringify(openApiDocument));
}

const jsonType = 'application/json; charset=utf-8';

interface PersonaRoute {
  Body: ReceivedBody | undefined;
}

/** Handles POST /user/persona and /user/batch-persona: large bodies in threads, others on the main thread. */
function scorePersonas(member: ContentMember, { models, threads, limits, fairUse, onScored }: Shared) {
  return async (request: FastifyRequest<PersonaRoute>, reply: FastifyReply): Promise<FastifyReply> => {
    const { body } = request;
    const asker = {
      key: keyOf(request),
      check: () => checkConnected(reply),
    };
    const job =
      body && body.length >= LARGE_REQUEST_BYTES
        ? await threads.openJob(body, member, asker)
        : ownJob(body && Buffer.concat(body.parts), member, fairUse, asker);
    const { responses } = fairUse.shares;
    const holding = responses.open(asker.key);
    const close = (): void => {
      holding.release();
      job.close();
    };
    let isSending = false;
    try {
      authorize(request, job.id);
      // The body may have taken a minute.
      await request.recheck(limits.recheckMs);
      const { predictor, release } = await models.hold(job.id);
      try {
        for (let held = 0; ; ) {
          const { rows, scored, bytes, body, hasMore } = await job.next(predictor);
          // Other requests of the key may have been charged meanwhile; this one is not rejected once it has started.
          if (held === 0) fairUse.checkRows(request, reply);
          fairUse.rowRate.charge(asker.key, rows);
          onScored(request, scored);
          if (body !== undefined) releaseBody(request);
          if (bytes > held && !holding.take(bytes - held))
            throw noMemory('Unread responses', responses, request, reply);
          held = Math.max(held, bytes);
          if (body === undefined) continue;
          reply.type(jsonType);
          if (!hasMore) return reply.send(body);
          isSending = true;
          onRequestEnd(reply, close);
          return reply.send(Readable.from(piecesOf(body, job)));
        }
      } finally {
        release();
      }
    } finally {
      if (!isSending) close();
    }
  };
}

async function* piecesOf(first: Buffer, job: PersonaJob): AsyncGenerator<Buffer> {
  for (let piece: Buffer | undefined = first; piece !== undefined; piece = await job.more()) yield piece;
}

/** A request that the main thread works on. */
function ownJob(body: unknown, member: ContentMember, { turns }: FairUse, { key, check }: Asker): PersonaJob {
  const work = new PersonaWork(body, member);
  return {
    id: work.id,
    async next(predictor) {
      // A single persona is less than a slice.
      if (member === 'personas') await turns.next(key);
      check();
      return work.next(predictor);
    },
    async more() {
      await turns.next(key);
      check();
      return work.more();
    },
    close() {},
  };
}
