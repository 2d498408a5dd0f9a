import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testServer } from '../support/test-server.ts';

testServer({
  name: 'datarobot',
  start: ({ folder, port }) => {
    const code = join(folder, 'code');
    mkdirSync(code, { recursive: true });
    copyFileSync(join(folder, 'model.pkl'), join(code, 'model.pkl'));
    const deployment = join(folder, 'deployment.json');
    const classMapping = [
      ['no', 0],
      ['yes', 1],
    ];
    const target = { name: 'churned', class_mapping: classMapping, prediction_threshold: 0.5 };
    writeFileSync(deployment, JSON.stringify({ target }));
    return {
      program: 'drum',
      args: [
        ...['server', '-cd', code, '--address', `127.0.0.1:${port}`, '--target-type', 'binary'],
        ...[
          ...'--positive-class-label yes --negative-class-label no --deployment-config'.split(' '),
          deployment,
        ],
      ],
    };
  },
  readyPath: '/ping/',
  service: { protocol: 'datarobot' },
  score: { report: 'predictions' },
});
