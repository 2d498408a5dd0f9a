import type { Option } from './option.ts';

/** Where the service listens. */
export const listenOptions = {
  host: {
    kind: 'text',
    value: 'ADDRESS',
    common: true,
    default: '127.0.0.1',
    describe: 'address to listen on',
  },
  port: { kind: 'text', value: 'PORT', common: true, default: '8080', describe: 'port; 0 picks a free one' },
  'admin-port': {
    kind: 'text',
    value: 'PORT',
    describe: 'http port for /healthz, /readyz and /metrics, also when busy',
  },
  'tls-cert': {
    kind: 'path',
    common: true,
    describe: 'PEM certificate chain, to serve https',
  },
  'tls-key': { kind: 'path', common: true, describe: 'PEM private key of the certificate' },
} as const satisfies Record<string, Option>;

/** What one key, and all keys together, may use. */
export const limitOptions = {
  'max-requests-per-second': {
    kind: 'integer',
    common: true,
    min: 1,
    max: 1_000_000,
    describe: 'most requests per second of each key',
    defaultText: 'no limit',
  },
  'max-rows-per-second': {
    kind: 'integer',
    min: 1,
    max: 1_000_000_000,
    describe: 'most rows per second of each key: requests get 429, uploads are slowed down',
    defaultText: 'no limit',
  },
  'max-connections-per-address': {
    kind: 'integer',
    default: 250,
    min: 1,
    max: 1_000,
    describe: 'connections from one IPv4 address or IPv6 /64',
  },
  'spill-bytes': {
    kind: 'size',
    default: '4GiB',
    min: 1024 ** 2,
    max: 1024 ** 4,
    describe: 'disk space for each batch-predict response that is not read yet',
  },
  'max-spill-bytes': {
    kind: 'size',
    default: '16GiB',
    min: 1024 ** 2,
    max: 1024 ** 5,
    describe: 'disk space for all buffered responses; a key may use as much as it leaves free',
  },
} as const satisfies Record<string, Option>;

/** What scores large requests. */
export const serviceThreadOptions = {
  threads: {
    kind: 'integer',
    min: 1,
    max: 256,
    describe: 'threads for large requests and uploads',
    defaultText: 'the number of cores',
  },
} as const satisfies Record<string, Option>;

/** The web platform. */
export const platformOptions = {
  web: { kind: 'boolean', default: true, describe: 'serve the web platform' },
  open: { kind: 'boolean', common: true, default: false, describe: 'open the web platform in a browser' },
  'data-bytes': {
    kind: 'size',
    default: '10GiB',
    min: 1024 ** 2,
    max: 1024 ** 5,
    describe: 'disk space for the data, runs and reports of the web platform',
  },
} as const satisfies Record<string, Option>;

/** How the service starts and shuts down. */
export const startAndStopOptions = {
  'warm-up': {
    kind: 'duration',
    default: '5s',
    max: 3_600,
    describe: 'how long to warm up at most before the service is ready',
  },
  'drain-delay': {
    kind: 'duration',
    default: '0s',
    max: 3_600,
    describe: 'after SIGTERM, how long to serve while /readyz is 503',
  },
  'drain-timeout': {
    kind: 'duration',
    default: '10s',
    min: 0.1,
    max: 86_400,
    describe: 'after that, how long requests may take before the process exits',
  },
} as const satisfies Record<string, Option>;

/** Options of `serve`. */
export const serveOptions = {
  ...listenOptions,
  ...limitOptions,
  ...serviceThreadOptions,
  ...platformOptions,
  ...startAndStopOptions,
};

/** Options of `keys add`. */
export const keyOptions = {
  report: {
    kind: 'list',
    value: 'ID',
    secondName: 'model',
    common: true,
    repeatable: true,
    describe: 'report that the key grants access to; repeatable',
    defaultText: 'all',
  },
  scope: {
    kind: 'list',
    common: true,
    default: ['predict', 'report'],
    describe: 'what the key may: predict, report, testing-results, platform (the web pages)',
    defaultText: 'predict,report',
  },
  expires: {
    kind: 'duration',
    common: true,
    min: 1,
    max: 3_650 * 86_400,
    describe: 'how long the key is valid, such as 90d',
    defaultText: 'until it is revoked',
  },
} as const satisfies Record<string, Option>;
