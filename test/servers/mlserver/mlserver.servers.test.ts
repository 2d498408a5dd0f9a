import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testServer } from '../support/test-server.ts';

/** MLServer does not know the columns of a model of scikit-learn. */
const types = Object.fromEntries([
  ...['tenure', 'speed', 'monthly', 'data_gb', 'support_calls', 'satisfaction'].map(name => [name, 'float']),
  ...['region', 'segment', 'contract', 'access', 'tv', 'paperless', 'payment'].map(name => [name, 'text']),
]);

testServer({
  name: 'mlserver',
  start: ({ folder, port }) => {
    const own = join(folder, 'mlserver');
    mkdirSync(join(own, 'churn'), { recursive: true });
    const ports = { http_port: port, grpc_port: port + 1, metrics_port: port + 2 };
    writeFileSync(join(own, 'settings.json'), JSON.stringify({ host: '127.0.0.1', ...ports }));
    const model = {
      name: 'churn',
      implementation: 'mlserver_sklearn.SKLearnModel',
      parameters: { uri: join(folder, 'model.joblib'), version: 'v1' },
    };
    writeFileSync(join(own, 'churn/model-settings.json'), JSON.stringify(model));
    return { program: 'mlserver', args: ['start', own] };
  },
  prepare: ({ folder }) => [
    { program: 'cp', args: [join(folder, 'model.pkl'), join(folder, 'model.joblib')] },
  ],
  readyPath: '/v2/models/churn/ready',
  service: { protocol: 'open-inference' },
  score: { report: 'churn', types },
  untyped: { types: { ...types, tenure: 'text' } },
});
