import { join } from 'node:path';
import { testServer } from '../support/test-server.ts';

testServer({
  name: 'azure-ml',
  start: ({ source, port }) => ({
    program: 'azmlinfsrv',
    args: ['--entry_script', join(source, 'entry.py'), '--port', String(port), '--health_port', String(port)],
  }),
  readyPath: '/',
  service: { protocol: 'azureml' },
  score: { report: 'churn' },
});
