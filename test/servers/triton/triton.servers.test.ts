import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { testServer } from '../support/test-server.ts';

const sitePackages = (environment: string): string => {
  const [version = ''] = readdirSync(join(environment, 'lib'));
  return join(environment, 'lib', version, 'site-packages');
};

testServer({
  name: 'triton',
  prepare: ({ source, folder }) => [{ program: 'python', args: [join(source, 'prepare.py'), folder] }],
  start: ({ folder, environment, port }) => ({
    program: join(sitePackages(environment), 'pytriton/tritonserver/bin/tritonserver'),
    args: [
      ...['--model-repository', join(folder, 'repository'), '--backend-directory', join(folder, 'backends')],
      ...['--http-address', '127.0.0.1', '--http-port', String(port)],
      ...['--allow-grpc', 'false', '--allow-metrics', 'false'],
    ],
    env: {
      SITE_PACKAGES: sitePackages(environment),
      // For the process of the Python backend, which is not where the package expects it.
      LD_LIBRARY_PATH: join(sitePackages(environment), 'nvidia_pytriton.libs'),
    },
  }),
  readyPath: '/v2/models/churn/ready',
  service: { protocol: 'open-inference' },
  score: { report: 'churn', missing: 'nan' },
});
