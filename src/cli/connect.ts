import type { Logger } from 'pino';
import { readBaseUrl, redacted } from '../client/base-url.ts';
import type { CallError } from '../client/call-error.ts';
import { Client } from '../client/client.ts';
import type { ClientOptions } from '../client/client-options.ts';
import { connectionOptions, type timeoutOption } from '../config/options/service.ts';
import { resolveValues, type Values } from '../config/resolve-options.ts';
import { contractWire, type Wire } from '../contract/wire-names.ts';
import { RowcastError } from '../errors.ts';
import { unlessStopped } from '../scoring/stop.ts';
import { type Address, chooseService, type Environment, type Given, homeOf } from './choose-service.ts';
import { readKey } from './read-key.ts';

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
