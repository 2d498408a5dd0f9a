import type { CommandRow } from './command-row.ts';
import { helpCommands } from './help-commands.ts';
import { modelCommands } from './model-commands.ts';
import { scaleOutCommands } from './scale-out-commands.ts';
import { scoreCommands } from './score-commands.ts';
import { serviceCommands } from './service-commands.ts';

/** All commands, in the order of the help. */
export const commands: readonly CommandRow[] = [
  ...scoreCommands,
  ...modelCommands,
  ...serviceCommands,
  ...scaleOutCommands,
  ...helpCommands,
];
