import type { Logger } from 'pino';
import { readBaseUrl, redacted } from '../client/base-url.ts';
import type { CallError } from '../client/call-error.ts';
import type { Client } from '../client/client.ts';
import type { ClientOptions } from '../client/client-options.ts';
import { connectionOptions, type timeoutOption } from '../config/options/service.ts';
import { resolveValues, type Values } from '../config/resolve-options.ts';
import { contractWire, type Wire } from '../contract/wire-names.ts';
import { unlessStopped } from '../scoring/stop.ts';
import { chooseService, type Environment, type Given, homeOf, type RemoteAddress } from './choose-service.ts';
import { readKey } from './read-key.ts';
import type { Service } from './service.ts';

export interface ConnectOptions {
  values: Pick<Values<typeof connectionOptions & typeof timeoutOption>, 'allowHttp' | 'timeout'>;
  /** For scoring runs: limits of the pace, and how long to wait for an unavailable service. */
  pace?: Pick<ClientOptions, 'concurrency' | 'maxRequestsPerSecond' | 'maxRowsPerSecond' | 'maxOutage'>;
  wire?: Partial<Wire> | undefined;
  env: Environment;
  log: Logger;
  /** Aborts waiting for the service. */
  stop?: AbortSignal;
}

/** Opens the service that the flags choose, for a command that makes single requests. */
export async function withServiceOf<T>(
  { flags, env, log }: Given & { log: Logger },
  { timeout }: { timeout: number },
  use: (service: Service) => Promise<T>,
): Promise<T> {
  const values = resolveValues(connectionOptions, flags);
  const address = chooseService(values, flags.url !== undefined, { env, home: homeOf({ flags, env }) });
  if (address.kind === 'remote')
    return withClient(address, { values: { ...values, timeout }, env, log }, use);
  // Loaded only when it is needed.
  const { openLocalService } = await import('../local/service/local-service.ts');
  const service = await openLocalService(address.home);
  try {
    return await use(service);
  } finally {
    await service.close();
  }
}

/**
 * Opens the client of a service, and closes it afterwards.
 *
 * @throws RowcastError `no_key`, `bad_url`, `insecure_url`
 * @throws Interrupted if a signal came before the key was read
 */
export async function withClient<T>(
  { url, key }: RemoteAddress,
  { values, pace, wire, env, log, stop }: ConnectOptions,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const base = readBaseUrl(url, values.allowHttp);
  // Loaded only when it is needed.
  const { Client } = await import('../client/client.ts');
  const client = new Client({
    url: base,
    key: await unlessStopped(readKey(key, env), stop),
    name: redacted(base.href),
    wire: { ...contractWire, ...wire },
    timeout: values.timeout,
    ...pace,
    onRetry: retryLines(log),
  });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** Minimum time between two log lines about retries: many requests fail at once when a service is down. */
const RETRY_LINE_MS = 5_000;

/** Logs retries: the first at once, further ones now and then. */
function retryLines(log: Logger): (failure: CallError, wait: number) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let unlogged = 0;
  return ({ code, message }, wait) => {
    const now = performance.now();
    if (now - loggedAt < RETRY_LINE_MS) {
      unlogged++;
      return;
    }
    const others = unlogged === 0 ? '' : ` (and ${unlogged} other requests since the last message)`;
    log.warn(
      { event: 'retry', code, wait_ms: wait },
      `${message}; retrying in ${(wait / 1000).toFixed(1)} s${others}`,
    );
    loggedAt = now;
    unlogged = 0;
  };
}
