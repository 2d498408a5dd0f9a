import { RowcastError } from '../../base/errors.ts';
import { unlessStopped } from '../../base/interrupted.ts';
import type { timeoutOption } from '../../base/options/service.ts';
import type { Values } from '../../base/options/values/resolve-options.ts';
import { reasonOf } from '../../base/system-error.ts';
import { readBaseUrl, redacted } from '../../client/base-url.ts';
import { isHeaderValue, type Key } from '../../client/credentials.ts';
import type { Protocol } from '../../client/protocols/protocol.ts';
import type { ServiceClient, ServiceClientOptions } from '../../client/service-client.ts';
import type { ClientTls } from '../../client/transport/tls.ts';
import { DEFAULT_KEY, type TlsFiles } from './access.ts';
import type { Environment, KeySource, RemoteAddress } from './choose-service.ts';
import { ApiKeyFile, keyIn } from './key-file.ts';
import { proxyOf } from './proxy-of.ts';

export interface ConnectOptions {
  values: Pick<Values<typeof timeoutOption>, 'timeout'>;
  /** For scoring runs: limits of the pace, and how long to wait for an unavailable service. */
  pace?: Pick<
    ServiceClientOptions,
    'concurrency' | 'maxRequestsPerSecond' | 'maxRowsPerSecond' | 'maxOutage' | 'sharedPace'
  >;
  env: Environment;
  /** Called before each wait for a retry. */
  onRetry?: ServiceClientOptions['onRetry'] | undefined;
  /** Makes each request a part of a trace. */
  trace?: ServiceClientOptions['trace'];
  /** Aborts waiting for the key. */
  stop?: AbortSignal;
}

/**
 * Opens the client of a service.
 *
 * @throws RowcastError `no_key`, `bad_url`, `insecure_url`, `bad_option`, `no_such_file`, `bad_certificate`
 * @throws Interrupted if a signal came before the key was read
 */
export async function openClient<P extends Protocol>(
  { url, key, allowHttp, auth, authHost, headers, tls, proxy }: RemoteAddress,
  protocol: P,
  { values, pace, env, onRetry, trace, stop }: ConnectOptions,
): Promise<ServiceClient<P>> {
  const base = readBaseUrl(url, allowHttp, key === undefined ? 'rows' : undefined);
  if (tls !== undefined && base.protocol === 'http:')
    throw new RowcastError(
      'bad_option',
      'certificates are for an https URL, and the URL of the service is http',
    );
  // Loaded only when it is needed.
  const { ServiceClient: Client } = await import('../../client/service-client.ts');
  return new Client({
    url: base,
    key: key && (await unlessStopped(keyFor(key, base, { authHost, protocol, env }), stop)),
    keyFrom:
      key === undefined || key.kind === 'cloud' ? undefined : key.kind === 'file' ? key.path : key.name,
    auth,
    headers: headers && readHeaders(headers, env),
    tls: tls && (await unlessStopped(readFiles(tls), stop)),
    proxy: proxyOf(proxy, base, { env, allowHttp }),
    name: redacted(base.href),
    timeout: values.timeout,
    protocol,
    ...pace,
    ...(onRetry && { onRetry }),
    trace,
  });
}

interface KeyOptions {
  authHost: string | undefined;
  protocol: Protocol;
  env: Environment;
}

/**
 * The key to a service. That of a cloud is got once, so that a run without one does not begin.
 *
 * @throws RowcastError `no_key`, `bad_option`
 */
async function keyFor(
  source: KeySource,
  url: URL,
  { authHost, protocol, env }: KeyOptions,
): Promise<string | Key> {
  if (source.kind !== 'cloud') return readServiceKey(source, env);
  const { openCloudKey } = await import('./cloud/cloud-key.ts');
  return openCloudKey(source.auth, url, { allowed: authHost, protocol: protocol.name, env });
}

// Loaded only when it is needed.
const readFiles = async (tls: TlsFiles): Promise<ClientTls> =>
  (await import('./read-tls.ts')).readClientTls(tls);

/** Uses what is opened, and closes it afterwards. */
export async function thenClosed<O extends { close(): Promise<unknown> }, T>(
  opening: Promise<O>,
  use: (opened: O) => Promise<T>,
): Promise<T> {
  const opened = await opening;
  try {
    return await use(opened);
  } finally {
    await opened.close();
  }
}

/**
 * The values of headers.
 *
 * @param variables by name of the header
 * @throws RowcastError `no_key`
 */
function readHeaders(
  variables: Readonly<Record<string, string>>,
  env: Environment,
): Readonly<Record<string, string>> {
  const values = Object.entries(variables).map(([name, variable]) => {
    const value = (env[variable] ?? '').trim();
    if (isHeaderValue(value)) return [name, value];
    throw new RowcastError('no_key', `no value of the header ${name} in the variable ${variable}`, {
      hint: `Set ${variable} to printable ASCII.`,
    });
  });
  return Object.fromEntries(values);
}

/** A key that is somewhere as text. */
type StoredKey = Exclude<KeySource, { kind: 'cloud' }>;

/** Reads a key. One in a file may be replaced later. @throws RowcastError `no_key` */
async function readServiceKey(source: StoredKey, env: Environment): Promise<string | Key> {
  const key =
    source.kind === 'environment'
      ? keyIn(env[source.name] ?? '')
      : await ApiKeyFile.open(source.path).catch(cause => {
          throw new RowcastError('no_key', `cannot read the API key: ${reasonOf(cause)}`, {
            location: { file: source.path },
            cause,
          });
        });
  if (key !== undefined) return key;
  const where = source.kind === 'environment' ? `the variable ${source.name}` : source.path;
  throw new RowcastError('no_key', `no API key in ${where}`, {
    hint:
      source.kind === 'file'
        ? 'Put the key in this file, on one line.'
        : `Set ${source.name}${source.name === DEFAULT_KEY ? ', or name a file with --api-key-file' : ''}.`,
  });
}
