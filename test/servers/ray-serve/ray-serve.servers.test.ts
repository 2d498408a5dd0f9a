import { join } from 'node:path';
import { testServer } from '../support/test-server.ts';

testServer({
  name: 'ray-serve',
  start: ({ source, port }) => ({
    program: 'python',
    args: [join(source, 'serve.py'), String(port)],
    env: { RAY_USAGE_STATS_ENABLED: '0' },
  }),
  readyPath: '/churn',
  service: {
    protocol: 'custom',
    custom: {
      request: { path: '/churn', layout: 'objects', body: { instances: '$rows' } },
      response: { rows: '/predictions' },
      errors: { message: '/message' },
      ready: '/-/healthz',
    },
  },
  score: { report: 'churn' },
});
