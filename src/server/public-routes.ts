import type { FastifyPluginAsync } from 'fastify';
import type { Readiness } from './admin/readiness.ts';
import { trackAllowedMethods } from './http/method-not-allowed.ts';
import type { Metrics } from './telemetry/metrics.ts';

export interface PublicRouteOptions {
  readiness: Readiness;
  /** Served where there are any. */
  metrics: Metrics | undefined;
}

/** What needs no key: how the service is, and what it speaks. No secret may be among the answers. */
export const publicRoutes: FastifyPluginAsync<PublicRouteOptions> = async (app, { readiness, metrics }) => {
  const refuseOtherMethods = trackAllowedMethods(app);

  app.get('/healthz', async () => ({ status: 'alive' }));

  app.get('/readyz', async (_, reply) => {
    const problem = await readiness.problem();
    if (problem === undefined) return { status: 'ready' };
    reply.header('retry-after', '1');
    throw problem;
  });

  let document: Promise<string> | undefined;
  app.get('/openapi.json', async (_, reply) => {
    // Once: who has no key must not make work.
    document ??= openApiText();
    return reply.type('application/json').send(await document);
  });

  if (metrics !== undefined) {
    app.get('/metrics', async (_, reply) => reply.type(metrics.contentType).send(await metrics.text()));
  }

  refuseOtherMethods();
};

/** Made where it is asked for only: that takes longer than all the other routes. */
async function openApiText(): Promise<string> {
  const { openApiDocument } = await import('./openapi/document.ts');
  return JSON.stringify(openApiDocument);
}
