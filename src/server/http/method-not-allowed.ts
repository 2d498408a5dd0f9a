import type { FastifyInstance } from 'fastify';
import { RequestError } from '../problems/problems.ts';

/**
 * Watches the routes that are added from here on.
 *
 * @returns to be called after the last one: answers every other method at their paths with 405
 */
export function trackAllowedMethods(app: FastifyInstance): () => void {
  const allowed = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ routePath, method }) => {
    const known = allowed.get(routePath) ?? new Set();
    for (const name of [method].flat()) known.add(name);
    // Where GET is, HEAD is added after this.
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
    // Before the body is looked at, whose type would be refused first.
    onRequest: async (request, reply) => {
      reply.header('allow', allowed.join(', '));
      throw new RequestError(
        'method_not_allowed',
        `${request.method} is not among the methods of this path: ${allowed.join(', ')}.`,
      );
    },
    handler: () => {},
  });
}
