import { problems, response } from './components.ts';
import { everywhere } from './endpoint-problems.ts';

const status = (word: string) => ({
  type: 'object',
  properties: { status: { const: word } },
  required: ['status'],
});

/** Endpoints without authentication. */
export const publicPaths = {
  '/healthz': {
    get: {
      operationId: 'isAlive',
      summary: 'Whether the service is alive',
      security: [],
      responses: {
        200: response('It is alive.', 'application/json', status('alive')),
        ...problems(everywhere),
      },
    },
  },
  '/readyz': {
    get: {
      operationId: 'isReady',
      summary:
        'Whether the service accepts requests: not during shutdown, or while it cannot read its data directory',
      security: [],
      responses: {
        200: response('It is ready.', 'application/json', status('ready')),
        ...problems([...everywhere, 'draining', 'home_unavailable']),
      },
    },
  },
  '/metrics': {
    get: {
      operationId: 'readMetrics',
      summary: 'Metrics for Prometheus: counts and durations by route, without keys, reports or personas',
      security: [],
      responses: {
        200: response('The metrics.', 'text/plain', { type: 'string' }),
        // Only `rowcast serve` has metrics.
        ...problems([...everywhere, 'no_such_endpoint', 'busy']),
      },
    },
  },
  '/openapi.json': {
    get: {
      operationId: 'readOpenApi',
      summary: 'This document',
      security: [],
      responses: {
        200: response('This document.', 'application/json', { type: 'object' }),
        ...problems([...everywhere, 'busy']),
      },
    },
  },
};
