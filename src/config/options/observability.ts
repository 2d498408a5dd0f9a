import type { Option, RunOption } from './option.ts';

/** What a run reports when it ends. */
export const summaryOptions = {
  summary: {
    kind: 'path',
    affectsOutput: false,
    common: true,
    describe: 'write a summary of the run to FILE as JSON',
  },
  checksum: {
    kind: 'boolean',
    affectsOutput: false,
    default: false,
    describe: 'include the SHA-256 of input and output in the summary',
  },
} as const satisfies Record<string, RunOption>;

/** Options of every command. */
export const logOptions = {
  'log-format': {
    kind: 'text',
    choices: ['text', 'json'],
    default: 'text',
    describe: 'format of the messages on stderr',
  },
} as const satisfies Record<string, Option>;

/** Of commands that print something for people. */
export const jsonOption = (describe: string) =>
  ({ json: { kind: 'boolean', default: false, common: true, describe } }) as const satisfies Record<
    string,
    Option
  >;
