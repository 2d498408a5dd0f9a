import { authNames, defaultProtocol, protocolNames } from '../contract/protocol-names.ts';
import type { RunOption } from './option.ts';

/** The report of commands that have it as a flag. */
export const reportOption = {
  report: {
    kind: 'text',
    affectsOutput: 'recorded apart',
    common: true,
    value: 'ID',
    secondName: 'model',
    describe: 'the report, or the model, endpoint or deployment, that predicts',
  },
} as const satisfies Record<string, RunOption>;

/** How a service is asked. */
export const protocolOption = {
  protocol: {
    kind: 'text',
    affectsOutput: 'recorded apart, and shards share it',
    common: true,
    value: 'NAME',
    choices: protocolNames,
    default: defaultProtocol,
    describe: `how the service is asked: ${protocolNames.join(', ')}; see rowcast protocols`,
  },
} as const satisfies Record<string, RunOption>;

/** The folder of what is stored on this machine; in a definition, a key at the top. */
export const homeOption = {
  home: {
    kind: 'path',
    affectsOutput: 'recorded apart',
    value: 'DIR',
    describe: 'folder of the local reports and keys',
    defaultText: 'ROWCAST_HOME, else .rowcast',
  },
} as const satisfies Record<string, RunOption>;

/** Which service is called, and with which key. */
export const connectionOptions = {
  url: {
    kind: 'text',
    affectsOutput: 'recorded apart',
    common: true,
    value: 'URL',
    describe: 'base URL of the prediction service; "local" uses the local reports',
    defaultText: 'ROWCAST_URL, else local',
  },
  'api-key-file': {
    kind: 'path',
    affectsOutput: false,
    common: true,
    describe: 'file that holds the API key',
    defaultText: 'the key in ROWCAST_API_KEY',
  },
  'api-key-env': {
    kind: 'text',
    affectsOutput: false,
    value: 'NAME',
    describe: 'variable ROWCAST_… with the API key of the url',
    defaultText: 'ROWCAST_API_KEY',
  },
  auth: {
    kind: 'text',
    affectsOutput: false,
    choices: authNames,
    describe:
      'how the key is sent: ApiKey KEY, Bearer KEY, or not at all; google, azure, sigv4: credentials of that cloud ' +
      'on this machine',
    defaultText: "the protocol's",
  },
  'auth-host': {
    kind: 'text',
    affectsOutput: false,
    value: 'HOST',
    flagOnly: true,
    describe: 'another host for what --auth google, azure or sigv4 sends',
    defaultText: "the cloud's own",
  },
  'header-env': {
    kind: 'map',
    affectsOutput: false,
    value: 'MAP',
    describe: 'headers with secrets in variables: X-Token=ROWCAST_TOKEN',
    defaultText: 'none',
  },
  'client-cert': {
    kind: 'path',
    affectsOutput: false,
    describe: 'PEM file with the certificate and chain of the client (mutual TLS)',
    defaultText: 'none',
  },
  'client-key': {
    kind: 'path',
    affectsOutput: false,
    describe: 'PEM file with the private key of --client-cert',
    defaultText: 'none',
  },
  'ca-file': {
    kind: 'path',
    affectsOutput: false,
    describe: 'PEM file with the only certificate authorities of the service',
    defaultText: "Node's, and NODE_EXTRA_CA_CERTS",
  },
  proxy: {
    kind: 'text',
    affectsOutput: false,
    value: 'none|env|URL',
    default: 'none',
    describe: 'proxy to the service: http://HOST:PORT, or env: HTTPS_PROXY or HTTP_PROXY, but for NO_PROXY',
  },
  'allow-http': {
    kind: 'boolean',
    affectsOutput: false,
    default: false,
    describe: 'allow sending key and rows over plain http to a host other than this one',
  },
} as const satisfies Record<string, RunOption>;

/** Timeout of requests with a complete response: all but uploads. */
export const timeoutOption = {
  timeout: {
    kind: 'duration',
    affectsOutput: false,
    default: '60s',
    min: 0.001,
    max: 86_400,
    describe: 'timeout of one request',
  },
} as const satisfies Record<string, RunOption>;

/** Who predicts, as far as every command that asks for predictions needs to know. */
export const callOptions = { ...protocolOption, ...connectionOptions, ...homeOption, ...timeoutOption };

/** Timeout of `batch-predict`, whose one request may take hours. */
export const idleTimeoutOption = {
  'idle-timeout': {
    ...timeoutOption.timeout,
    describe: 'stop when idle for this long',
  },
} as const satisfies Record<string, RunOption>;

/** The --max-outage of `plan` and `verify --sample`, unless it is given: somebody is waiting. */
export const SHORT_OUTAGE = '5s';

/** What only runs of many requests need. */
export const outageOptions = {
  'max-outage': {
    kind: 'duration',
    affectsOutput: false,
    common: true,
    default: '10m',
    defaultText: '10m; of plan without --shards and of verify 5s',
    max: 604_800,
    describe: 'how long to wait for an unavailable service or store',
  },
  wire: {
    kind: 'map',
    affectsOutput: true,
    describe: "member names of the service's requests and responses",
    definitionOnly: true,
  },
  custom: {
    kind: 'structure',
    affectsOutput: true,
    describe: 'requests and responses of the protocol custom',
    definitionOnly: true,
  },
} as const satisfies Record<string, RunOption>;
