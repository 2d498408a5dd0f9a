import { columnTypes, MAX_PERSONAS } from '../contract/limits.ts';

/** How an option's value is written, in YAML and after a flag. */
export type Kind =
  | 'text'
  | 'share'
  | 'integer'
  | 'number'
  | 'seconds'
  | 'duration'
  | 'size'
  | 'flag'
  | 'list'
  | 'map';

/** One option: the flag, the definition's key, the README's row and every check come from here. */
export interface Option {
  readonly kind: Kind;
  /** One line of prose, its unit included. */
  readonly describe: string;
  /** The default as prose, where it is no plain value. */
  readonly defaultText?: string;
  readonly default?: string | number | boolean | readonly string[];
  /** In milliseconds for a duration, whose default is written as a user would. */
  readonly min?: number;
  readonly max?: number;
  /** What the value may be, or each value of a map. */
  readonly choices?: readonly string[];
  readonly alias?: string;
  /** How the help calls the value. */
  readonly value?: string;
  /** True where only a definition can say it. */
  readonly definitionOnly?: boolean;
}

/** Options that say which service answers. */
export const serviceOptions = {
  url: {
    kind: 'text',
    value: 'URL',
    describe: 'base URL of a prediction service',
    defaultText: 'ROWCAST_URL, else the embedded service',
  },
  'api-key-file': {
    kind: 'text',
    value: 'FILE',
    describe: 'file that holds the API key',
    defaultText: 'the key in ROWCAST_API_KEY',
  },
  'api-key-env': {
    kind: 'text',
    describe: 'environment variable that holds the API key of the url; its name begins with ROWCAST_',
    definitionOnly: true,
  },
  'allow-http': {
    kind: 'flag',
    default: false,
    describe: 'send the key over plain http to other hosts than this one',
  },
  timeout: {
    kind: 'seconds',
    default: 60,
    min: 0.001,
    max: 86_400,
    describe: 'seconds that one call may take',
  },
} as const satisfies Record<string, Option>;

/** Options of a scoring run. */
export const scoreOptions = {
  report: { kind: 'text', value: 'ID', describe: 'id of the report that predicts' },
  output: {
    kind: 'text',
    value: 'FILE',
    alias: 'o',
    default: '-',
    describe: 'where the scored CSV goes; - is stdout',
  },
  prediction: { kind: 'flag', default: false, describe: 'append predicted_<column>, the likeliest class' },
  prefix: {
    kind: 'text',
    default: 'probability',
    describe: "first part of the probability columns' names: <prefix>_<class>",
  },
  limit: { kind: 'integer', min: 0, describe: 'score only so many rows', defaultText: 'all' },
  'if-exists': {
    kind: 'text',
    choices: ['replace', 'fail', 'skip'],
    default: 'replace',
    describe: 'what to do about a finished output: replace it at the end, fail, or skip the run',
  },
  restart: {
    kind: 'flag',
    default: false,
    describe: 'throw an unfinished run away and begin with the first row',
  },
  rejects: {
    kind: 'text',
    value: 'FILE',
    describe: 'where rows go that cannot be scored',
    defaultText: 'OUTPUT.rejects.csv; with stdout as output, stderr',
  },
  'max-rejects': {
    kind: 'share',
    value: 'N|N%',
    describe: 'stop when more rows are rejected',
    defaultText: 'no limit',
  },
  'rejects-ok': { kind: 'share', value: 'N|N%', describe: 'exit 0, not 1, when no more rows are rejected' },
  patience: {
    kind: 'seconds',
    default: 600,
    max: 604_800,
    describe: 'seconds that the service may be gone before the run stops',
  },
  summary: { kind: 'text', value: 'FILE', describe: 'where a summary of the run goes, as JSON' },
  checksum: { kind: 'flag', default: false, describe: 'tell SHA-256 of input and output in the summary' },
  'checkpoint-seconds': {
    kind: 'seconds',
    default: 1,
    max: 3600,
    describe: 'seconds between two checkpoints',
  },
  columns: {
    kind: 'list',
    describe: 'columns to send',
    defaultText: "the report's, else all but the predicted one",
  },
  drop: { kind: 'list', describe: 'columns not to send' },
  'allow-missing': {
    kind: 'flag',
    default: false,
    describe: 'columns of the report may be missing from the input',
  },
  types: {
    kind: 'map',
    choices: columnTypes,
    describe: "column → type, over the report's",
    definitionOnly: true,
  },
  nulls: { kind: 'list', default: [], describe: 'spellings of a missing value beside the empty one' },
  classes: {
    kind: 'list',
    describe: 'the classes, in the order of their columns',
    defaultText: "the report's",
  },
  delimiter: {
    kind: 'text',
    value: 'C',
    describe: 'what separates fields',
    defaultText: ', or a tab for .tsv',
  },
  quote: {
    kind: 'text',
    value: 'C',
    describe: 'what quotes fields, or none',
    defaultText: '"; none for .tsv',
  },
  'max-record-bytes': {
    kind: 'size',
    default: 1 << 20,
    min: 1,
    max: 256 << 20,
    describe: 'longest record; a longer one stops the run',
  },
  'batch-rows': {
    kind: 'integer',
    default: 1000,
    min: 1,
    max: MAX_PERSONAS,
    describe: 'most rows in a call',
  },
  'batch-bytes': {
    kind: 'size',
    default: 1 << 20,
    min: 1024,
    max: 32 << 20,
    describe: "most bytes of a call's body",
  },
  concurrency: {
    kind: 'integer',
    default: 16,
    min: 1,
    max: 256,
    describe: 'most calls at once; fewer where the service answers more of them then',
  },
  'max-requests-per-second': {
    kind: 'number',
    min: 0.001,
    describe: 'most calls a second',
    defaultText: 'as many as the service takes',
  },
  'max-rows-per-second': {
    kind: 'number',
    min: 0.001,
    describe: 'most rows a second',
    defaultText: 'as many as the service takes',
  },
  wire: {
    kind: 'map',
    describe: "member names of the service's requests and responses",
    definitionOnly: true,
  },
} as const satisfies Record<string, Option>;

/** Options of a check of a finished pair. */
export const verifyOptions = {
  rejects: {
    kind: 'text',
    value: 'FILE',
    describe: 'the rejects file of the run',
    defaultText: 'OUTPUT.rejects.csv, if it is there',
  },
  limit: { ...scoreOptions.limit, describe: 'the --limit of the run', defaultText: 'none' },
  delimiter: scoreOptions.delimiter,
  quote: scoreOptions.quote,
  'max-record-bytes': scoreOptions['max-record-bytes'],
} as const satisfies Record<string, Option>;

/** Options of a training. */
export const trainOptions = {
  predict: { kind: 'text', value: 'COLUMN', describe: 'the column to predict' },
  report: {
    kind: 'text',
    value: 'ID',
    describe: 'id of the new report',
    defaultText: 'made from file and column',
  },
  seed: {
    kind: 'integer',
    default: 1,
    min: 0,
    describe: 'seed of the split into training and testing rows',
  },
  bins: {
    kind: 'integer',
    value: 'N',
    min: 2,
    max: 20,
    describe: 'predict which of N ranges, with about the same number of rows each, a number falls into',
    defaultText: 'refuse a column of numbers with many different values',
  },
  delimiter: scoreOptions.delimiter,
  quote: scoreOptions.quote,
  'max-record-bytes': { ...scoreOptions['max-record-bytes'], describe: 'longest record' },
} as const satisfies Record<string, Option>;

/** Options of the service. */
export const serveOptions = {
  host: { kind: 'text', value: 'ADDRESS', default: '127.0.0.1', describe: 'address to listen on' },
  port: { kind: 'text', value: 'PORT', default: '8080', describe: 'port; 0 takes a free one' },
  'admin-port': {
    kind: 'text',
    value: 'PORT',
    describe:
      'port for /healthz, /readyz and /metrics over http, which respond even when the service is busy',
  },
  'tls-cert': { kind: 'text', value: 'FILE', describe: 'certificate chain as PEM, to serve https' },
  'tls-key': { kind: 'text', value: 'FILE', describe: "the certificate's key as PEM" },
  'rate-limit': {
    kind: 'integer',
    value: 'N',
    min: 1,
    max: 1_000_000,
    describe: 'requests a second that each key may make',
    defaultText: 'no limit',
  },
  'max-rows-per-second': {
    kind: 'integer',
    value: 'N',
    min: 1,
    max: 1_000_000_000,
    describe: 'rows per second that each key may have scored: calls above it get 429, uploads are paced',
    defaultText: 'no limit',
  },
  'spill-bytes': {
    kind: 'size',
    default: 4 * 1024 ** 3,
    min: 1024 ** 2,
    max: 1024 ** 4,
    describe: 'disk for each answer to batch-predict whose client does not read before it has sent all',
  },
  'max-spill-bytes': {
    kind: 'size',
    default: 16 * 1024 ** 3,
    min: 1024 ** 2,
    max: 1024 ** 5,
    describe: 'disk for all such answers together; a key gets at most as much of it as it leaves free',
  },
  'drain-delay': {
    kind: 'duration',
    value: 'DURATION',
    default: '0s',
    max: 3_600_000,
    describe: 'after SIGTERM, how long to keep serving while /readyz already responds with 503',
  },
  'drain-timeout': {
    kind: 'duration',
    value: 'DURATION',
    default: '10s',
    min: 100,
    max: 86_400_000,
    describe: 'after the drain delay, how long requests in flight may take before the process ends anyway',
  },
} as const satisfies Record<string, Option>;

/** Options of a new key. */
export const keyOptions = {
  report: {
    kind: 'list',
    value: 'ID',
    describe: 'report that the key is good for; may be given again',
    defaultText: 'all',
  },
  all: { kind: 'flag', default: false, describe: 'the key is good for all reports, which is the default' },
  scope: {
    kind: 'list',
    value: 'LIST',
    default: ['predict', 'report'],
    describe: 'endpoints that the key is good for: predict, report, testing-results',
    defaultText: 'predict,report',
  },
  expires: {
    kind: 'duration',
    value: 'DURATION',
    min: 1_000,
    max: 3_650 * 86_400_000,
    describe: 'how long the key is good for, such as 90d',
    defaultText: 'until it is revoked',
  },
} as const satisfies Record<string, Option>;

/** An option's prose with its default. */
export function describeWithDefault({ describe, defaultText: otherwise, default: value }: Option): string {
  const fallback = otherwise ?? (value === false || Array.isArray(value) ? undefined : value);
  return fallback === undefined ? describe : `${describe} (default: ${fallback})`;
}
