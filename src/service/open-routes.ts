import type { FastifyPluginAsync } from 'fastify';
import { watchMethods } from './methods.ts';
import type { Metrics } from './metrics.ts';
import { openApiDocument } from './openapi.ts';
import { RequestError } from './problems.ts';

export interface OpenRouteOptions {
  /** True once the service closes. It does not listen before it is ready. */
  draining(): boolean;
  /** Served where there are any. */
  metrics: Metrics | undefined;
}

/** What needs no key: how the service is, and what it speaks. No secret may be among the answers. */
export const openRoutes: FastifyPluginAsync<OpenRouteOptions> = async (app, { draining, metrics }) => {
  const refuseOtherMethods = watchMethods(app);

  app.get('/healthz', async () => ({ status: 'alive' }));

  app.get('/readyz', async (_, reply) => {
    if (!draining()) return { status: 'ready' };
    reply.header('retry-after', '1');
    throw new RequestError('draining', 'The service is shutting down.');
  });

  // Written once: who has no key must not make work.
  const document = JSON.stringify(openApiDocument);
  app.get('/openapi.json', async (_, reply) => reply.type('application/json').send(document));

  if (metrics !== undefined) {
    app.get('/metrics', async (_, reply) => reply.type(metrics.contentType).send(await metrics.text()));
  }

  refuseOtherMethods();
};
