import type { FastifyPluginAsync } from 'fastify';
import type { Readiness } from './admin/readiness.ts';
import { trackAllowedMethods } from './http/method-not-allowed.ts';
import type { Metrics } from './telemetry/metrics.ts';

export interface PublicRouteOptions {
  readiness: Readiness;
  /** Served if given. */
  metrics: Metrics | undefined;
}

/** Routes without authentication: health, readiness, metrics, OpenAPI. Responses must not contain secrets. */
export const publicRoutes: FastifyPluginAsync<PublicRouteOptions> = async (app, { readiness, metrics }) => {
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
