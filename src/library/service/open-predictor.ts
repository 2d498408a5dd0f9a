import { defaultProtocol } from '../../base/contract/protocol-names.ts';
import { RowcastError } from '../../base/errors.ts';
import { unlessStopped } from '../../base/interrupted.ts';
import type { JobValues } from '../../base/options/values/run-values.ts';
import { reasonOf } from '../../base/system-error.ts';
import { readBaseUrl, redacted } from '../../client/base-url.ts';
import { isHeaderValue, type Key } from '../../client/credentials.ts';
import type { Protocol } from '../../client/protocols/protocol.ts';
import type { ServiceClient, ServiceClientOptions } from '../../client/service-client.ts';
import type { ClientTls } from '../../client/transport/tls.ts';
import type { OpenScorer, SharedScorer } from '../../scoring/scorer.ts';
import { DEFAULT_KEY, type TlsFiles } from './access.ts';
import {
  type Address,
  type Environment,
  type KeySource,
  noService,
  type RemoteAddress,
} from './choose-service.ts';
import { ApiKeyFile, keyIn } from './key-file.ts';
import { proxyOf } from './proxy-of.ts';

export interface ScorerOptions extends Pick<ConnectOptions, 'env' | 'onRetry' | 'trace' | 'sharedPace'> {
  values: JobValues;
  address: Address;
  stop: AbortSignal;
}

/**
 * Opens what predicts: a service, or the reports of this machine.
 *
 * @throws RowcastError `no_key`, `bad_url`, `insecure_url`, `unreadable_home`, as `chooseProtocol`; Interrupted
 */
export async function openPredictor(options: ScorerOptions): Promise<OpenScorer<SharedScorer>> {
  const { values, address, ...connecting } = options;
  if (address.kind === 'remote') {
    const { timeout, concurrency, maxRequestsPerSecond, maxRowsPerSecond, maxOutage } = values;
    const limits = { timeout, concurrency, maxRequestsPerSecond, maxRowsPerSecond, maxOutage };
    const { chooseProtocol } = await import('./choose-protocol.ts');
    const { httpScorer } = await import('../../client/scorer/http-scorer.ts');
    const client = await openClient(address, chooseProtocol(values), { ...connecting, ...limits });
    return { scorer: httpScorer(client), close: () => client.close() };
  }
  if (values.protocol !== defaultProtocol) throw noService(values.protocol);
  const { threads, maxRowsPerSecond } = values;
  const { sharedPace } = connecting;
  // Loaded only when it is needed.
  const { ModelScorer } = await import('../../models/local/model-scorer.ts');
  const scorer = await ModelScorer.open({ home: address.home, threads, maxRowsPerSecond, sharedPace });
  return { scorer, close: () => scorer.close() };
}

/** Opens what predicts, and closes it afterwards. @throws as `openPredictor` */
export const withScorer = <T>(
  options: ScorerOptions,
  use: (scorer: SharedScorer) => Promise<T>,
): Promise<T> => thenClosed(openPredictor(options), ({ scorer }) => use(scorer));

export interface ConnectOptions
  extends Pick<
    ServiceClientOptions,
    | ('timeout' | 'concurrency' | 'maxRequestsPerSecond' | 'maxRowsPerSecond' | 'maxOutage' | 'sharedPace')
    | ('onRetry' | 'trace')
  > {
  env: Environment;
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
  { env, stop, ...requests }: ConnectOptions,
): Promise<ServiceClient<P>> {
  const base = readBaseUrl(url, allowHttp, key === undefined ? 'rows' : undefined);
  if (tls !== undefined && base.protocol === 'http:')
    throw new RowcastError(
      'bad_option',
      'certificates are for an https URL, and the URL of the service is http',
    );
  const readKey = async (source: KeySource): Promise<string | Key> => {
    if (source.kind !== 'cloud') return readServiceKey(source, env);
    const { openCloudKey } = await import('./cloud/cloud-key.ts');
    // It is got once, so that a run without a key does not begin.
    return openCloudKey(source.auth, base, { allowed: authHost, protocol: protocol.name, env });
  };
  const readFiles = async (files: TlsFiles): Promise<ClientTls> =>
    (await import('./read-tls.ts')).readClientTls(files);
  // Loaded only when it is needed.
  const { ServiceClient: Client } = await import('../../client/service-client.ts');
  return new Client({
    url: base,
    key: key && (await unlessStopped(readKey(key), stop)),
    keyFrom:
      key === undefined || key.kind === 'cloud' ? undefined : key.kind === 'file' ? key.path : key.name,
    auth,
    headers: headers && readHeaders(headers, env),
    tls: tls && (await unlessStopped(readFiles(tls), stop)),
    proxy: proxyOf(proxy, base, { env, allowHttp }),
    name: redacted(base.href),
    protocol,
    ...requests,
  });
}

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

/** Reads a key that is somewhere as text. One in a file may be replaced later. @throws RowcastError `no_key` */
async function readServiceKey(
  source: Exclude<KeySource, { kind: 'cloud' }>,
  env: Environment,
): Promise<string | Key> {
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
