import type { Option, RunOption } from './option.ts';
import { storeAccess } from './store.ts';

/** What a run reports when it ends. */
export const summaryOptions = {
  summary: {
    kind: 'path',
    affectsOutput: 'no, but shards share it',
    common: true,
    describe: 'write a summary as JSON',
  },
  'summary-html': {
    kind: 'path',
    affectsOutput: 'no, but shards share it',
    describe: 'write it as a web page with charts',
  },
  metrics: {
    kind: 'path',
    affectsOutput: 'no, but shards share it',
    describe: 'write OpenMetrics, for a textfile collector',
  },
  lineage: {
    kind: 'path',
    affectsOutput: 'no, but shards share it',
    describe: 'write OpenLineage events as JSON lines',
  },
  checksum: {
    kind: 'boolean',
    affectsOutput: 'no, but shards share it',
    default: false,
    describe: 'add the SHA-256 of input and output',
  },
} as const satisfies Record<string, RunOption>;

/** Who is told when a command ends. */
export const endOptions = {
  'notify-env': {
    kind: 'text',
    value: 'NAME',
    affectsOutput: false,
    describe: 'variable with the URL that gets the summary at the end, such as ROWCAST_NOTIFY_URL',
  },
  'on-end': {
    kind: 'text',
    value: 'COMMAND',
    affectsOutput: false,
    describe:
      'run COMMAND in a shell at the end, with ROWCAST_EXIT_CODE, ROWCAST_SUMMARY, ROWCAST_TEXT and others',
  },
} as const satisfies Record<string, RunOption>;

/** How a command says how far it is. */
export const progressOptions = {
  progress: {
    kind: 'text',
    choices: ['auto', 'always', 'never'],
    default: 'auto',
    describe: 'where to show a progress line: on a terminal, anywhere, or no progress at all',
  },
  'progress-interval': {
    kind: 'duration',
    default: '1m',
    min: 0.1,
    max: 86_400,
    describe: 'time between log lines about progress, without a progress line',
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
    describe: 'messages of this level and above',
  },
} as const satisfies Record<string, Option>;

/** An option of commands that otherwise print something for people. */
export const jsonOption = {
  json: { kind: 'boolean', default: false, common: true, describe: 'print the result as JSON' },
} as const satisfies Record<string, Option>;

export const statusOptions = {
  ...jsonOption,
  watch: {
    kind: 'boolean',
    default: false,
    common: true,
    describe: 'look again every second until nothing is running',
  },
  ...storeAccess,
} as const satisfies Record<string, Option>;
