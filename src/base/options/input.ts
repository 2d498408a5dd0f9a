import { fileFormats, uploadFormats } from '../contract/file-formats.ts';
import { missingStyles, sentTypes } from '../contract/limits.ts';
import type { RunOption } from './option.ts';

/** Inputs that other programs deliver, perhaps late. */
export const waitOptions = {
  'wait-for-input': {
    kind: 'duration',
    affectsOutput: false,
    default: 0,
    max: 604_800,
    describe: 'how long to wait until the input is there and unchanged for 5 s',
  },
  'ready-file': {
    kind: 'text',
    affectsOutput: false,
    value: 'NAME',
    describe: 'file in the folder of an input, such as _SUCCESS, without which that is incomplete',
    defaultText: 'none',
  },
} as const satisfies Record<string, RunOption>;

/** How the input is read, and which of its columns are sent. */
export const inputOptions = {
  features: {
    kind: 'list',
    affectsOutput: true,
    common: true,
    describe: 'columns to send to the service',
    defaultText: "the report's columns, else all but the predicted one",
  },
  'exclude-features': {
    kind: 'list',
    affectsOutput: true,
    describe: 'columns not to send to the service',
  },
  predict: {
    kind: 'text',
    affectsOutput: true,
    value: 'COLUMN',
    describe: 'the predicted column, which is never sent',
    defaultText: "the report's",
  },
  types: {
    kind: 'map',
    affectsOutput: true,
    choices: sentTypes,
    describe: "column → type, in place of the report's; date:dmy: the day before the month",
  },
  nulls: {
    kind: 'list',
    affectsOutput: true,
    default: [],
    describe: 'values to treat as missing, in addition to the empty one',
  },
  missing: {
    kind: 'text',
    affectsOutput: true,
    choices: missingStyles,
    describe: 'how a missing value is written',
    defaultText: "the protocol's",
  },
  'allow-missing': {
    kind: 'boolean',
    affectsOutput: true,
    default: false,
    describe: 'send columns of the report that the input lacks as missing values',
  },
  names: {
    kind: 'list',
    affectsOutput: true,
    describe: 'column names of an input without a header',
    defaultText: 'the header line',
  },
  encoding: {
    kind: 'text',
    affectsOutput: true,
    value: 'NAME',
    describe: 'encoding of the input, such as windows-1252 or utf-16; the output is UTF-8',
    defaultText: 'utf-8',
  },
  limit: {
    kind: 'integer',
    affectsOutput: true,
    common: true,
    min: 0,
    describe: 'score only the first N rows',
    defaultText: 'all',
  },
  delimiter: {
    kind: 'text',
    affectsOutput: 'recorded apart, and shards share it',
    value: 'C',
    describe: 'field delimiter: one ASCII character or tab',
    defaultText: '"," or, for .tsv, tab',
  },
  quote: {
    kind: 'text',
    affectsOutput: 'recorded apart, and shards share it',
    value: 'C',
    describe: 'quote character: one ASCII character or none',
    defaultText: `'"' or, for .tsv, none`,
  },
  escape: {
    kind: 'text',
    affectsOutput: 'recorded apart, and shards share it',
    value: 'C',
    describe: 'character that escapes a quote within quotes, as in Spark and MySQL',
    defaultText: 'the quote, doubled',
  },
  'skip-lines': {
    kind: 'integer',
    affectsOutput: true,
    min: 0,
    max: 10_000,
    describe: 'leave out N lines before the header',
    defaultText: '0',
  },
  'input-env': {
    kind: 'text',
    affectsOutput: 'recorded apart',
    value: 'NAME',
    describe: 'variable ROWCAST_… with the URL of the input, which may hold a secret',
    defaultText: 'none',
  },
  'input-format': {
    kind: 'text',
    affectsOutput: 'recorded apart, and shards share it',
    choices: fileFormats,
    describe: 'format of the input',
    defaultText: 'by its name, else by its first bytes',
  },
  'max-group-bytes': {
    kind: 'size',
    affectsOutput: 'no, but shards share it',
    default: '512MiB',
    min: 1,
    max: 2 ** 40,
    describe: 'largest row group of Parquet that is read, uncompressed',
  },
  'max-record-bytes': {
    kind: 'size',
    affectsOutput: 'no, but shards share it',
    default: '1MiB',
    min: 1,
    max: 256 << 20,
    describe: 'maximum size of a record; a longer one stops the run',
  },
} as const satisfies Record<string, RunOption>;

/** How `batch-predict` reads its input. */
export const uploadFormatOption = {
  'input-format': { ...inputOptions['input-format'], choices: uploadFormats },
} as const;

/** How `predict` reads stdin. */
export const personaFormatOption = {
  'input-format': {
    ...inputOptions['input-format'],
    choices: ['jsonl'],
    describe: 'format of stdin; each of JSON lines gets a line',
    defaultText: 'JSON, or JSON lines if it has several',
  },
} as const;
