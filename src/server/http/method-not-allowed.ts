import type { FastifyInstance } from 'fastify';
import { RequestError } from '../problems/problems.ts';

/**
 * Collects the methods of all routes that are added from now on.
 *
 * @returns a function to call after the last route: it rejects all other methods of these paths with 405
 */
export function trackAllowedMethods(app: FastifyInstance): () => void {
  const allowed = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ routePath, method }) => {
    const known = allowed.get(routePath) ?? new Set();
    for (const name of [method].flat()) known.add(name);
    // Fastify adds HEAD to GET after this hook.
    if (known.has('GET')) known.add('HEAD');
    allowed.set(routePath, known);
  });
  return () => {
    for (const [url, known] of [...allowed]) refuseOthers(app, url, [...known]);
  };
}

function refuseOthers(app: FastifyInstance, url: string, allowed: readonly string[]): void {
  app.route({
    method: app.supportedMethods.filter(method => !allowed.includes(method)),
    url,
    // Before the body is parsed, because its type would be rejected first.
    onRequest: async (request, reply) => {
      reply.header('allow', allowed.join(', '));
      throw new RequestError(
        'method_not_allowed',
        `${request.method} is not allowed for this path; it supports ${allowed.join(', ')}.`,
      );
    },
    handler: () => {},
  });
}
