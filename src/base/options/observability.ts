import type { Option, RunOption } from './option.ts';
import { storeAccess } from './store.ts';

/** What a run reports when it ends. */
export const summaryOptions = {
  summary: {
    kind: 'path',
    affectsOutput: false,
    common: true,
    describe: 'write a summary of the run to FILE as JSON',
  },
  'summary-html': {
    kind: 'path',
    affectsOutput: false,
    describe: 'write the summary to FILE as a web page with charts, in one file',
  },
  metrics: {
    kind: 'path',
    affectsOutput: false,
    describe: 'write metrics of the run to FILE in the OpenMetrics format, for a textfile collector',
  },
  lineage: {
    kind: 'path',
    affectsOutput: false,
    describe: 'write lineage of the run to FILE as OpenLineage events, one JSON line each',
  },
  checksum: {
    kind: 'boolean',
    affectsOutput: false,
    default: false,
    describe: 'include the SHA-256 of input and output in the summary',
  },
} as const satisfies Record<string, RunOption>;

/** Who is told when a command ends. */
export const endOptions = {
  'notify-env': {
    kind: 'text',
    value: 'NAME',
    affectsOutput: false,
    describe:
      'environment variable with the URL that gets the summary by POST when the command ends, such as ROWCAST_NOTIFY_URL',
  },
  'on-end': {
    kind: 'text',
    value: 'COMMAND',
    affectsOutput: false,
    describe:
      'run COMMAND in a shell when the command ends; exit code, summary and more are in its environment (ROWCAST_EXIT_CODE, ROWCAST_SUMMARY, ROWCAST_TEXT)',
  },
} as const satisfies Record<string, RunOption>;

/** How a command says how far it is. */
export const progressOptions = {
  progress: {
    kind: 'text',
    choices: ['auto', 'always', 'never'],
    default: 'auto',
    describe:
      'when to show a progress line: auto is on a terminal, always is anywhere, never is no progress at all',
  },
  'progress-interval': {
    kind: 'duration',
    default: '1m',
    min: 0.1,
    max: 86_400,
    describe: 'time between log lines about the progress, where no progress line is shown',
  },
} as const satisfies Record<string, Option>;

/** Options of every command. */
export const logOptions = {
  quiet: {
    kind: 'boolean',
    alias: 'q',
    default: false,
    common: true,
    describe: 'log only warnings and errors',
  },
  'log-format': {
    kind: 'text',
    choices: ['text', 'json'],
    default: 'text',
    describe: 'format of the messages on stderr',
  },
  'log-level': {
    kind: 'text',
    choices: ['error', 'warn', 'info', 'debug'],
    default: 'info',
    describe: 'which messages are written to stderr: those of this level and above',
  },
} as const satisfies Record<string, Option>;

/** An option of commands that otherwise print something for people. */
export const jsonOption = (describe: string) =>
  ({ json: { kind: 'boolean', default: false, common: true, describe } }) as const satisfies Record<
    string,
    Option
  >;

export const statusOptions = {
  ...jsonOption('print the state as JSON, with the members of the summary'),
  watch: {
    kind: 'boolean',
    default: false,
    common: true,
    describe: 'look again every second until nothing is running',
  },
  ...storeAccess,
} as const satisfies Record<string, Option>;
