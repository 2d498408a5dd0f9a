import { driftLimits } from '../../base/options/drift.ts';
import { endOptions, progressOptions } from '../../base/options/observability.ts';
import { batchOptions, rateOptions, threadOptions } from '../../base/options/pace.ts';
import { connectionOptions, homeOption, outageOptions, timeoutOption } from '../../base/options/service.ts';
import {
  assembleGroups,
  queueWorkOptions,
  shardsPositional,
  workOptions,
  workPositional,
} from '../../base/options/shards.ts';
import { storeAccess, storeOptions } from '../../base/options/store.ts';
import type { CommandRow } from './command-row.ts';

/** Commands that divide the work of a run among processes and machines. */
export const scaleOutCommands: readonly CommandRow[] = [
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
