import { join } from 'node:path';
import { testServer } from '../support/test-server.ts';

testServer({
  name: 'mlflow',
  prepare: ({ source, folder }) => [{ program: 'python', args: [join(source, 'save.py'), folder] }],
  start: ({ port }) => ({
    program: 'mlflow',
    args: [
      ...['models', 'serve', '-m', 'mlflow-model', '--env-manager', 'local'],
      ...['-h', '127.0.0.1', '-p', String(port), '--workers', '1'],
    ],
  }),
  readyPath: '/ping',
  service: { protocol: 'mlflow', auth: 'none' },
  score: { report: 'churn' },
});
