import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { readBaseUrl, redacted } from '../client/base-url.ts';
import { Client, type ClientOptions } from '../client/client.ts';
import type { CallError } from '../client/failures.ts';
import { connectionOptions, homeOption, type timeoutOption } from '../config/options/service.ts';
import { resolveValues, type Values } from '../config/resolve-options.ts';
import { contractWire, type Wire } from '../contract/wire-names.ts';
import { RowcastError } from '../errors.ts';
import { unlessStopped } from '../scoring/stop.ts';
import type { UsedFile } from '../storage/local/used-file.ts';

export interface Environment {
  ROWCAST_URL?: string | undefined;
  ROWCAST_API_KEY?: string | undefined;
  ROWCAST_HOME?: string | undefined;
  [name: string]: string | undefined;
}

/** The URL that stands for the local reports. */
const LOCAL = 'local';

/** Where a call's service is, decided from flags, definition and environment. */
export type Address = { kind: 'embedded'; home: string } | { kind: 'remote'; url: string; key: KeySource };

export type KeySource = { kind: 'file'; path: string } | { kind: 'environment'; name: string };

/** The environment's key, for a URL from flag or environment. */
const DEFAULT_KEY = 'ROWCAST_API_KEY';

/** What a definition may name: a file from elsewhere must not send any secret of the environment to its URL. */
const OWN_KEY = /^ROWCAST_[A-Z0-9_]+$/;

/** What a command line and its environment say. */
interface Given {
  flags: Readonly<Record<string, unknown>>;
  env: Environment;
}

/**
 * Folder of the local reports and keys.
 *
 * @param defined the section of a definition, if there is one
 */
export function homeOf({ flags, env }: Given, defined: Readonly<Record<string, unknown>> = {}): string {
  const { home } = resolveValues(homeOption, flags);
  return resolve(home ?? (env.ROWCAST_HOME || String(defined.home ?? '.rowcast')));
}

/**
 * Which service answers. The environment's key goes only to a URL from flag or environment: a definition that
 * has a URL names its own key, so that a file from elsewhere cannot send the key there.
 *
 * @param urlIsFlag whether the URL, if any, is that of `--url` and not a definition's
 * @throws RowcastError `no_key`
 */
export function chooseService(
  values: Pick<Values<typeof connectionOptions>, 'url' | 'apiKeyFile' | 'apiKeyEnv'>,
  urlIsFlag: boolean,
  { env, home }: { env: Environment; home: string },
): Address {
  const url = values.url ?? (env.ROWCAST_URL || LOCAL);
  if (url === LOCAL) return { kind: 'embedded', home };
  if (values.apiKeyFile !== undefined)
    return { kind: 'remote', url, key: { kind: 'file', path: values.apiKeyFile } };
  const isDefined = values.url !== undefined && !urlIsFlag;
  const name = values.apiKeyEnv ?? DEFAULT_KEY;
  if (!OWN_KEY.test(name) || (isDefined && name === DEFAULT_KEY))
    throw new RowcastError('no_key', 'a definition with a url must also name its key', {
      hint: `Add api-key-file next to the url, or api-key-env with a name that begins with ROWCAST_ and is not ${DEFAULT_KEY}.`,
    });
  return { kind: 'remote', url, key: { kind: 'environment', name } };
}

/** Files that are read for a service: its key's, and the reports of the embedded one. */
export function serviceFiles(
  { url, apiKeyFile }: Pick<Values<typeof connectionOptions>, 'url' | 'apiKeyFile'>,
  { env, home }: { env: Environment; home: string },
): UsedFile[] {
  const key = { what: 'the API key file', option: '--api-key-file' };
  const reports = { what: 'a file of the local reports', option: '' };
  return [
    ...(apiKeyFile === undefined ? [] : [{ ...key, at: apiKeyFile }]),
    ...((url ?? (env.ROWCAST_URL || LOCAL)) === LOCAL
      ? [{ ...reports, at: join(home, 'reports'), isFolder: true }]
      : []),
  ];
}

export interface ConnectOptions {
  values: Pick<Values<typeof connectionOptions & typeof timeoutOption>, 'allowHttp' | 'timeout'>;
  /** Of a scoring run: how fast its calls may go, and how long it waits for a service that is gone. */
  pace?: Pick<ClientOptions, 'concurrency' | 'maxRequestsPerSecond' | 'maxRowsPerSecond' | 'maxOutage'>;
  wire?: Partial<Wire> | undefined;
  env: Environment;
  log: Logger;
  /** Aborted when nobody waits for the service any more. */
  stop?: AbortSignal;
}

/** The client of the service that the flags name, for a command that makes one call after another. */
export async function withServiceOf<T>(
  { flags, env, log }: Given & { log: Logger },
  timeout: number,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const values = resolveValues(connectionOptions, flags);
  const address = chooseService(values, flags.url !== undefined, { env, home: homeOf({ flags, env }) });
  return withClient(address, { values: { ...values, timeout }, env, log }, use);
}

/** A service that can be called. */
interface Reached {
  url: URL;
  key: string;
  /** For people: `embedded`, or the URL. */
  name: string;
  close(): Promise<void>;
}

/**
 * Opens the client of a service, starting the embedded one where that answers, and closes both afterwards.
 *
 * @throws RowcastError `no_key`, `bad_url`, `insecure_url`
 * @throws Interrupted when the process was told to stop before the service was reached
 */
export async function withClient<T>(
  address: Address,
  options: ConnectOptions,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const { values, pace, wire, log, stop } = options;
  const reaching = reach(address, options);
  const { close, ...service } = await unlessStopped(reaching, stop).catch(error => {
    reaching.then(late => late.close()).catch(() => {}); // the first failure is reported
    throw error;
  });
  const client = new Client({
    ...service,
    wire: { ...contractWire, ...wire },
    timeout: values.timeout,
    ...pace,
    onRetry: retryLines(log),
  });
  try {
    return await use(client);
  } catch (error) {
    // The service tells nobody its folders, but the embedded one's is the caller's own.
    if (address.kind === 'embedded' && error instanceof RowcastError && error.code === 'no_such_report') {
      const { reportsFolder } = await import('../reports/report-store.ts');
      error.addLocation({ file: reportsFolder(address.home) });
      error.hint = 'rowcast reports lists the local reports; use --url for another service.';
    }
    throw error;
  } finally {
    await client.close();
    await close();
  }
}

/** Between two lines on calls that are tried again: many calls fail at once when a service is away. */
const RETRY_LINE_MS = 5_000;

/** Tells of calls that are tried again, the first at once and others now and then. */
function retryLines(log: Logger): (failure: CallError, wait: number) => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  let untold = 0;
  return ({ code, message }, wait) => {
    const now = performance.now();
    if (now - toldAt < RETRY_LINE_MS) {
      untold++;
      return;
    }
    const others = untold === 0 ? '' : ` (and ${untold} other requests since the last message)`;
    log.warn({ code, wait }, `${message}; retrying in ${(wait / 1000).toFixed(1)} s${others}`);
    toldAt = now;
    untold = 0;
  };
}

async function reach(address: Address, { values, env }: ConnectOptions): Promise<Reached> {
  if (address.kind === 'embedded') {
    // Loaded where it is used only.
    const [{ startEmbedded }, { checkReadable }] = await Promise.all([
      import('../server/embedded/start-embedded.ts'),
      import('../reports/report-store.ts'),
    ]);
    // Behind the service it would look like a failure that passes, and be retried.
    await checkReadable(address.home);
    const { url, key, close } = await startEmbedded({ home: address.home });
    return { url: new URL(url), key, name: 'embedded', close };
  }
  const url = readBaseUrl(address.url, values.allowHttp);
  return { url, key: await readKey(address.key, env), name: redacted(url.href), close: async () => {} };
}

async function readKey(source: KeySource, env: Environment): Promise<string> {
  const key =
    source.kind === 'environment'
      ? env[source.name]
      : await readFile(source.path, 'utf8').catch(cause => {
          throw new RowcastError('no_key', `cannot read the API key: ${cause.code}`, {
            location: { file: source.path },
            cause,
          });
        });
  // What a header may hold (RFC 9110 section 5.5), and no white space: a key is one word.
  if (key !== undefined && /^[\x21-\x7e]+$/.test(key.trim())) return key.trim();
  const where = source.kind === 'environment' ? `the variable ${source.name}` : source.path;
  throw new RowcastError('no_key', `no API key in ${where}`, {
    hint:
      source.kind === 'file'
        ? 'Put the key in this file, on one line.'
        : `Set ${source.name}${source.name === DEFAULT_KEY ? ', or name a file with --api-key-file' : ', which the definition names'}.`,
  });
}
