import { testServer } from '../support/test-server.ts';

testServer({
  name: 'bentoml',
  start: ({ source, port }) => ({
    program: 'bentoml',
    args: ['serve', 'service:Churn', '--working-dir', source, '--host', '127.0.0.1', '--port', String(port)],
    env: { BENTOML_DO_NOT_TRACK: 'True' },
  }),
  readyPath: '/readyz',
  service: {
    protocol: 'custom',
    custom: {
      request: { path: '/predict', layout: 'objects', body: { rows: '$rows' } },
      response: { rows: '' },
      errors: { message: '/error' },
      ready: '/readyz',
    },
  },
  score: { report: 'churn' },
});
