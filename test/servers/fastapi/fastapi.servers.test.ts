import { testServer } from '../support/test-server.ts';

testServer({
  name: 'fastapi',
  start: ({ source, port }) => ({
    program: 'uvicorn',
    args: ['app:app', '--app-dir', source, '--host', '127.0.0.1', '--port', String(port)],
  }),
  readyPath: '/readyz',
  service: {
    protocol: 'custom',
    custom: {
      request: { path: '/score', layout: 'objects', body: { rows: '$rows' } },
      response: { rows: '/predictions', classes: '/classes' },
      errors: { message: '/detail' },
      ready: '/readyz',
    },
  },
  score: { report: 'churn' },
});
