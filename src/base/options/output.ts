import { fileFormats } from '../contract/file-formats.ts';
import type { RunOption } from './option.ts';

/** Where the rows go, and what a run does about files that exist. */
export const outputOptions = {
  output: {
    kind: 'path',
    affectsOutput: 'recorded apart',
    common: true,
    alias: 'o',
    default: '-',
    describe: "where to write; - is stdout; for several inputs a pattern: 'scored/{name}.csv'",
  },
  'output-format': {
    kind: 'text',
    affectsOutput: true,
    choices: fileFormats,
    describe: 'format of the output',
    defaultText: 'by its name, else that of the input',
  },
  'group-rows': {
    kind: 'integer',
    affectsOutput: true,
    min: 1,
    max: 10_000_000,
    describe: 'rows of a row group of Parquet, unless the input is Parquet',
    defaultText: '100000',
  },
  'if-exists': {
    kind: 'text',
    affectsOutput: false,
    common: true,
    choices: ['replace', 'fail', 'skip', 'skip-unchanged'],
    default: 'replace',
    defaultText: 'replace; with several inputs, skip-unchanged',
    describe:
      'if the output exists: replace it at the end, fail, skip the run, or skip it if input, output and options ' +
      'are unchanged',
  },
  restart: {
    kind: 'boolean',
    affectsOutput: false,
    common: true,
    default: false,
    describe: 'discard an unfinished run and start from the first row',
  },
  'restart-if-changed': {
    kind: 'boolean',
    affectsOutput: false,
    default: false,
    describe:
      'if the unfinished run is of different work, keep its files as .old until this run finishes, and start over',
  },
  private: {
    kind: 'boolean',
    affectsOutput: 'no, but shards share it',
    default: false,
    describe: 'only the owner may read the files that are written',
  },
  'checkpoint-interval': {
    kind: 'duration',
    affectsOutput: 'no, but shards share it',
    max: 3600,
    describe: 'minimum time between checkpoints',
    defaultText: '1s; 10s in a store',
  },
} as const satisfies Record<string, RunOption>;

/** How several inputs are scored. */
export const filesOptions = {
  jobs: {
    kind: 'integer',
    affectsOutput: false,
    default: 2,
    min: 1,
    max: 64,
    describe: 'inputs at a time; they share pace and thresholds',
  },
  'fail-fast': {
    kind: 'boolean',
    affectsOutput: false,
    default: false,
    describe: 'with several inputs, stop at the first that fails',
  },
} as const satisfies Record<string, RunOption>;

/** Which columns the output has, and how they are written. Without a default: earlier checkpoints do not have them. */
export const columnOptions = {
  keep: {
    kind: 'selection',
    affectsOutput: true,
    common: true,
    describe: 'input columns to keep in the output, in this order',
    defaultText: 'all',
  },
  rename: {
    kind: 'map',
    affectsOutput: true,
    describe: 'columns of the output to rename, as OLD=NEW',
  },
  'output-header': {
    kind: 'boolean',
    affectsOutput: true,
    describe: 'write a header line to the output',
    defaultText: 'true',
  },
} as const satisfies Record<string, RunOption>;

/** What is appended to each row. */
export const appendedOptions = {
  prediction: {
    kind: 'boolean',
    affectsOutput: true,
    common: true,
    default: false,
    describe: 'append predicted_<column>, the most likely class',
  },
  threshold: {
    kind: 'numbers',
    affectsOutput: true,
    value: 'CLASS=X',
    max: 1,
    describe: 'predict CLASS from the probability X on, and append the prediction',
    defaultText: 'the most likely class',
  },
  probabilities: {
    kind: 'selection',
    affectsOutput: true,
    describe: 'classes whose probabilities are appended',
    defaultText: 'all',
  },
  decimals: {
    kind: 'integer',
    affectsOutput: true,
    max: 20,
    describe: 'digits after the point of predictions',
    defaultText: 'as many as needed',
  },
  classes: {
    kind: 'list',
    affectsOutput: true,
    common: true,
    describe: 'the classes, in output column order',
    defaultText: "the report's",
  },
  prefix: {
    kind: 'text',
    affectsOutput: true,
    describe: 'prefix of probabilities, <prefix>_<class>, and of several numbers, <prefix>_<name>',
    defaultText: 'probability',
  },
} as const satisfies Record<string, RunOption>;
