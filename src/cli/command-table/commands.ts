import type { CommandRow } from './command-row.ts';
import { modelCommands } from './model-commands.ts';
import { scaleOutCommands } from './scale-out-commands.ts';
import { scoreCommands } from './score-commands.ts';
import { serviceCommands } from './service-commands.ts';

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

/** All commands, in the order of the help. */
export const commands: readonly CommandRow[] = [
  ...scoreCommands,
  ...modelCommands,
  ...serviceCommands,
  ...scaleOutCommands,
  ...helpCommands,
];
