import { columnTypes, MAX_PERSONAS } from '../contract/limits.ts';

/** The type of an option's value, in YAML and after a flag. */
export type Kind =
  | 'text'
  | 'threshold'
  | 'integer'
  | 'number'
  | 'seconds'
  | 'duration'
  | 'size'
  | 'flag'
  | 'list'
  | 'map';

/** One option. Its flag, definition key, help, documentation and validation all come from here. */
export interface Option {
  readonly kind: Kind;
  /** One line of help, with the unit. */
  readonly describe: string;
  /** The default in words, if it is not a plain value. */
  readonly defaultText?: string;
  readonly default?: string | number | boolean | readonly string[];
  /** For a duration in milliseconds; its default is written as a user would write it. */
  readonly min?: number;
  readonly max?: number;
  /** The allowed values; of a map, those of each member. */
  readonly choices?: readonly string[];
  readonly alias?: string;
  /** The placeholder for the value in help. */
  readonly value?: string;
  /** True if the option has no flag. */
  readonly definitionOnly?: boolean;
}

/** Options that choose the service. */
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
    describe: 'environment variable that holds the API key for the url; its name must start with ROWCAST_',
    definitionOnly: true,
  },
  'allow-http': {
    kind: 'flag',
    default: false,
    describe: 'allow sending the key over plain http to a host other than this one',
  },
  timeout: {
    kind: 'seconds',
    default: 60,
    min: 0.001,
    max: 86_400,
    describe: 'timeout of one request, in seconds',
  },
} as const satisfies Record<string, Option>;

/** Options of a scoring run. */
export const scoreOptions = {
  report: { kind: 'text', value: 'ID', describe: 'id of the report to predict with' },
  output: {
    kind: 'text',
    value: 'FILE',
    alias: 'o',
    default: '-',
    describe: 'where to write the scored CSV; - is stdout',
  },
  prediction: { kind: 'flag', default: false, describe: 'append predicted_<column>, the most likely class' },
  prefix: {
    kind: 'text',
    default: 'probability',
    describe: 'prefix of the probability column names: <prefix>_<class>',
  },
  limit: { kind: 'integer', min: 0, describe: 'score only the first N rows', defaultText: 'all' },
  'if-exists': {
    kind: 'text',
    choices: ['replace', 'fail', 'skip'],
    default: 'replace',
    describe: 'if the output exists: replace it when the run finishes, fail, or skip the run',
  },
  restart: {
    kind: 'flag',
    default: false,
    describe: 'discard an unfinished run and start from the first row',
  },
  rejects: {
    kind: 'text',
    value: 'FILE',
    describe: 'where to write rows that cannot be scored',
    defaultText: 'OUTPUT.rejects.csv; with stdout as output, stderr',
  },
  'max-rejects': {
    kind: 'threshold',
    value: 'N|N%',
    describe: 'stop the run when more than N rows (or N%) are rejected',
    defaultText: 'no limit',
  },
  'rejects-ok': {
    kind: 'threshold',
    value: 'N|N%',
    describe: 'exit 0 instead of 1 if at most N rows (or N%) were rejected',
  },
  patience: {
    kind: 'seconds',
    default: 600,
    max: 604_800,
    describe: 'how long to keep retrying while the service is unavailable, in seconds',
  },
  summary: { kind: 'text', value: 'FILE', describe: 'write a summary of the run to FILE as JSON' },
  checksum: {
    kind: 'flag',
    default: false,
    describe: 'include the SHA-256 of input and output in the summary',
  },
  'checkpoint-seconds': {
    kind: 'seconds',
    default: 1,
    max: 3600,
    describe: 'minimum time between checkpoints, in seconds',
  },
  columns: {
    kind: 'list',
    describe: 'columns to send to the service',
    defaultText: "the report's columns, else all but the predicted one",
  },
  drop: { kind: 'list', describe: 'columns not to send to the service' },
  'allow-missing': {
    kind: 'flag',
    default: false,
    describe: 'send columns of the report that the input lacks as missing values',
  },
  types: {
    kind: 'map',
    choices: columnTypes,
    describe: "column → type; overrides the report's types",
    definitionOnly: true,
  },
  nulls: { kind: 'list', default: [], describe: 'values to treat as missing, in addition to the empty one' },
  classes: {
    kind: 'list',
    describe: 'the classes, in output column order',
    defaultText: "the report's",
  },
  delimiter: {
    kind: 'text',
    value: 'C',
    describe: 'field delimiter: one ASCII character or tab',
    defaultText: ', or a tab for .tsv',
  },
  quote: {
    kind: 'text',
    value: 'C',
    describe: 'quote character: one ASCII character or none',
    defaultText: '"; none for .tsv',
  },
  'max-record-bytes': {
    kind: 'size',
    default: 1 << 20,
    min: 1,
    max: 256 << 20,
    describe: 'maximum size of a record; a longer one stops the run',
  },
  'batch-rows': {
    kind: 'integer',
    default: 1000,
    min: 1,
    max: MAX_PERSONAS,
    describe: 'maximum number of rows per request',
  },
  'batch-bytes': {
    kind: 'size',
    default: 1 << 20,
    min: 1024,
    max: 32 << 20,
    describe: 'maximum size of a request body',
  },
  concurrency: {
    kind: 'integer',
    default: 16,
    min: 1,
    max: 256,
    describe: 'maximum number of concurrent requests; fewer are used if the service is faster with fewer',
  },
  'max-requests-per-second': {
    kind: 'number',
    min: 0.001,
    describe: 'maximum number of requests per second',
    defaultText: 'as many as the service accepts',
  },
  'max-rows-per-second': {
    kind: 'number',
    min: 0.001,
    describe: 'maximum number of rows per second',
    defaultText: 'as many as the service accepts',
  },
  wire: {
    kind: 'map',
    describe: "member names of the service's requests and responses",
    definitionOnly: true,
  },
} as const satisfies Record<string, Option>;

/** Options of `verify`. */
export const verifyOptions = {
  rejects: {
    kind: 'text',
    value: 'FILE',
    describe: 'the rejects file of the run',
    defaultText: 'OUTPUT.rejects.csv, if it exists',
  },
  limit: { ...scoreOptions.limit, describe: 'the --limit that the run had', defaultText: 'none' },
  delimiter: scoreOptions.delimiter,
  quote: scoreOptions.quote,
  'max-record-bytes': scoreOptions['max-record-bytes'],
} as const satisfies Record<string, Option>;

/** Options of `train`. */
export const trainOptions = {
  predict: { kind: 'text', value: 'COLUMN', describe: 'the column to predict' },
  report: {
    kind: 'text',
    value: 'ID',
    describe: 'id of the new report',
    defaultText: 'derived from the file and column names',
  },
  seed: {
    kind: 'integer',
    default: 1,
    min: 0,
    describe: 'random seed for splitting into training and testing rows',
  },
  bins: {
    kind: 'integer',
    value: 'N',
    min: 2,
    max: 20,
    describe: 'predict which of N ranges (with about equal row counts) a number falls into',
    defaultText: 'reject a numeric column with many distinct values',
  },
  delimiter: scoreOptions.delimiter,
  quote: scoreOptions.quote,
  'max-record-bytes': { ...scoreOptions['max-record-bytes'], describe: 'maximum size of a record' },
} as const satisfies Record<string, Option>;

/** Options of `serve`. */
export const serveOptions = {
  host: { kind: 'text', value: 'ADDRESS', default: '127.0.0.1', describe: 'address to listen on' },
  port: { kind: 'text', value: 'PORT', default: '8080', describe: 'port; 0 picks a free one' },
  'admin-port': {
    kind: 'text',
    value: 'PORT',
    describe: 'http port for /healthz, /readyz and /metrics that responds even when the service is busy',
  },
  'tls-cert': { kind: 'text', value: 'FILE', describe: 'PEM certificate chain, to serve https' },
  'tls-key': { kind: 'text', value: 'FILE', describe: 'PEM private key of the certificate' },
  'rate-limit': {
    kind: 'integer',
    value: 'N',
    min: 1,
    max: 1_000_000,
    describe: 'maximum number of requests per second for each key',
    defaultText: 'no limit',
  },
  'max-rows-per-second': {
    kind: 'integer',
    value: 'N',
    min: 1,
    max: 1_000_000_000,
    describe:
      'maximum number of rows scored per second for each key: requests above it get 429, uploads are slowed down',
    defaultText: 'no limit',
  },
  'spill-bytes': {
    kind: 'size',
    default: 4 * 1024 ** 3,
    min: 1024 ** 2,
    max: 1024 ** 4,
    describe: 'disk space for each batch-predict response whose client reads only after sending everything',
  },
  'max-spill-bytes': {
    kind: 'size',
    default: 16 * 1024 ** 3,
    min: 1024 ** 2,
    max: 1024 ** 5,
    describe: 'disk space for all such responses together; one key gets at most as much as it leaves free',
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
    describe: 'after the drain delay, how long in-flight requests may take before the process exits anyway',
  },
} as const satisfies Record<string, Option>;

/** Options of `keys add`. */
export const keyOptions = {
  report: {
    kind: 'list',
    value: 'ID',
    describe: 'report that the key grants access to; repeatable',
    defaultText: 'all',
  },
  all: { kind: 'flag', default: false, describe: 'grant access to all reports, which is the default' },
  scope: {
    kind: 'list',
    value: 'LIST',
    default: ['predict', 'report'],
    describe: 'endpoints that the key grants access to: predict, report, testing-results',
    defaultText: 'predict,report',
  },
  expires: {
    kind: 'duration',
    value: 'DURATION',
    min: 1_000,
    max: 3_650 * 86_400_000,
    describe: 'how long the key is valid, such as 90d',
    defaultText: 'until it is revoked',
  },
} as const satisfies Record<string, Option>;

/** An option's help with its default. */
export function describeWithDefault({ describe, defaultText: otherwise, default: value }: Option): string {
  const fallback = otherwise ?? (value === false || Array.isArray(value) ? undefined : value);
  return fallback === undefined ? describe : `${describe} (default: ${fallback})`;
}
