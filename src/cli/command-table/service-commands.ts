import { jsonOption } from '../../base/options/observability.ts';
import {
  keyOptions,
  limitOptions,
  listenOptions,
  platformOptions,
  serviceThreadOptions,
  startAndStopOptions,
} from '../../base/options/serve.ts';
import { homeOption } from '../../base/options/service.ts';
import type { CommandRow, Positional } from './command-row.ts';

const keyName: Positional = {
  name: 'name',
  kind: 'text',
  describe: 'name of the key, as in the log',
  isRequired: true,
};

/** Commands that run the service and manage its keys. */
export const serviceCommands: readonly CommandRow[] = [
  {
    name: 'serve',
    group: 'Service',
    describe: 'run the prediction service and the web platform over the local reports',
    options: {
      Listening: listenOptions,
      'Web platform': platformOptions,
      Limits: limitOptions,
      Speed: serviceThreadOptions,
      'Start and shutdown': startAndStopOptions,
      Service: homeOption,
    },
    examples: {
      'On this machine, with the pages in a browser': 'rowcast serve --open',
      'Listen on all interfaces, over https':
        'rowcast serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem',
    },
    load: () => import('../commands/serve.ts'),
  },
  {
    name: 'keys',
    group: 'Service',
    describe: 'list the API keys of the service and their scopes',
    options: { Output: jsonOption, Service: homeOption },
    examples: { 'Which keys are there, and are they used?': 'rowcast keys' },
    load: () => import('../commands/keys.ts'),
  },
  {
    name: 'keys add',
    group: 'Service',
    describe: 'create an API key and print it once',
    positionals: [keyName],
    options: { Key: keyOptions, Service: homeOption },
    examples: {
      'A key for one report, valid for a quarter': 'rowcast keys add etl --report churn --expires 90d',
    },
    load: () => import('../commands/keys-add.ts'),
  },
  {
    name: 'keys revoke',
    group: 'Service',
    describe: 'revoke a key; running servers notice immediately',
    positionals: [keyName],
    options: { Service: homeOption },
    examples: { 'Revoke a key': 'rowcast keys revoke etl' },
    load: () => import('../commands/keys-revoke.ts'),
  },
];
