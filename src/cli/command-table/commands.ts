import { driftLimits } from '../../base/options/drift.ts';
import { endOptions, jsonOption, progressOptions } from '../../base/options/observability.ts';
import { batchOptions, rateOptions, threadOptions } from '../../base/options/pace.ts';
import {
  keyOptions,
  limitOptions,
  listenOptions,
  platformOptions,
  serviceThreadOptions,
  startAndStopOptions,
} from '../../base/options/serve.ts';
import { connectionOptions, homeOption, outageOptions, timeoutOption } from '../../base/options/service.ts';
import {
  assembleGroups,
  queueWorkOptions,
  shardsPositional,
  workOptions,
  workPositional,
} from '../../base/options/shards.ts';
import { storeAccess, storeOptions } from '../../base/options/store.ts';
import type { CommandRow, Positional } from './command-row.ts';
import { modelCommands } from './model-commands.ts';
import { scoreCommands } from './score-commands.ts';

/** Commands that explain the others; they print what follows from this table, so they load nothing. */
const helpCommands: readonly CommandRow[] = [
  {
    name: 'completion',
    group: 'Help',
    describe: 'print the completion script for a shell',
    positionals: [
      {
        name: 'shell',
        kind: 'text',
        choices: ['bash', 'zsh', 'fish'],
        describe: 'bash, zsh or fish',
        isRequired: true,
      },
    ],
    options: {},
    examples: {
      'In ~/.bashrc': 'source <(rowcast completion bash)',
      'In ~/.zshrc, after compinit': 'source <(rowcast completion zsh)',
      'Install for fish': 'rowcast completion fish > ~/.config/fish/completions/rowcast.fish',
    },
  },
  {
    name: 'help',
    group: 'Help',
    describe: 'show all options of a command, as COMMAND --help does',
    positionals: [{ name: 'command', kind: 'text', describe: 'a command', isRepeated: true }],
    options: {},
    examples: { 'All about score': 'rowcast help score' },
  },
];

/** Commands that divide the work of a run among processes and machines. */
const scaleOutCommands: readonly CommandRow[] = [
  {
    name: 'work',
    group: 'Scale out',
    describe: 'score shards of a plan, one shard, or those of all runs in a queue',
    positionals: [workPositional],
    options: {
      Shards: workOptions,
      Drift: driftLimits,
      Queue: queueWorkOptions,
      'Result of the work': endOptions,
      Service: { ...connectionOptions, ...homeOption, ...timeoutOption, ...outageOptions },
      Pace: { ...rateOptions, ...batchOptions, ...threadOptions },
      Stores: storeOptions,
      Progress: progressOptions,
    },
    examples: {
      'On as many machines as you like': 'rowcast work /shared/scored.csv.shards',
      'For all runs of a queue, until it is stopped': 'rowcast work --queue redis://queue.internal:6379',
      'As task 7 of an array of tasks, with ten shards each':
        'rowcast work /shared/scored.csv.shards --shard 7 --shards-per-task 10',
    },
    load: () => import('../commands/work.ts'),
  },
  {
    name: 'assemble',
    group: 'Scale out',
    describe: 'join the finished shards of a run into its output',
    positionals: [shardsPositional],
    options: assembleGroups,
    examples: { 'Join what the workers have scored': 'rowcast assemble /shared/scored.csv.shards' },
    load: () => import('../commands/assemble.ts'),
  },
  {
    name: 'cancel',
    group: 'Scale out',
    describe: 'stop all workers of a sharded run; the command that planned it resumes it',
    positionals: [shardsPositional],
    options: { Stores: storeAccess },
    examples: { 'Stop for today': 'rowcast cancel /shared/scored.csv.shards' },
    load: () => import('../commands/cancel.ts'),
  },
];

const keyName: Positional = {
  name: 'name',
  kind: 'text',
  describe: 'name of the key, as in the log',
  isRequired: true,
};

/** Commands that run the service and manage its keys. */
const serviceCommands: readonly CommandRow[] = [
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

/** All commands, in the order of the help. */
export const commands: readonly CommandRow[] = [
  ...scoreCommands,
  ...modelCommands,
  ...serviceCommands,
  ...scaleOutCommands,
  ...helpCommands,
];
