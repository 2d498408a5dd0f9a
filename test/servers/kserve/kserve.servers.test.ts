import { join } from 'node:path';
import { testServer } from '../support/test-server.ts';

testServer({
  name: 'kserve',
  start: ({ source, port }) => ({ program: 'python', args: [join(source, 'serve.py'), String(port)] }),
  readyPath: '/v1/models/churn',
  service: { protocol: 'kserve-v1' },
  score: { report: 'churn' },
});
