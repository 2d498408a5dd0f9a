import { assembleGroups, shardsPositional } from '../../config/options/shards.ts';
import type { CommandRow } from './command-row.ts';

/** Commands that divide the work of a run among processes and machines. */
export const scaleOutCommands: readonly CommandRow[] = [
  {
    name: 'assemble',
    group: 'Scale out',
    describe: 'join the finished shards of a run into its output',
    positionals: [shardsPositional],
    options: assembleGroups,
    examples: [
      { about: 'Join what the workers have scored', command: 'rowcast assemble /shared/scored.csv.shards' },
    ],
    load: () => import('../commands/assemble.ts'),
  },
];
