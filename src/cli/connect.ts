import type { Logger } from 'pino';
import { readBaseUrl, redacted } from '../client/base-url.ts';
import { CallError } from '../client/call-error.ts';
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
  /** For scoring runs: limits of the pace, and how long to wait for an unavailable service. */
  pace?: Pick<ClientOptions, 'concurrency' | 'maxRequestsPerSecond' | 'maxRowsPerSecond' | 'maxOutage'>;
  wire?: Partial<Wire> | undefined;
  /** The report that the requests are about: if there is none with this id, similar ids are suggested. */
  report?: string;
  env: Environment;
  log: Logger;
  /** Aborts waiting for the service. */
  stop?: AbortSignal;
}

/** Opens the client of the service that the flags choose, for a command that makes single requests. */
export async function withServiceOf<T>(
  { flags, env, log }: Given & { log: Logger },
  { timeout, report }: { timeout: number; report: string },
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const values = resolveValues(connectionOptions, flags);
  const address = chooseService(values, flags.url !== undefined, { env, home: homeOf({ flags, env }) });
  return withClient(address, { values: { ...values, timeout }, report, env, log }, use);
}

const LOCAL_REPORTS = 'local';

/** A report for people: `local report churn`, or `report churn of http://…`. */
export const nameReport = (report: string, { name }: Client): string =>
  name === LOCAL_REPORTS ? `local report ${report}` : `report ${report} at ${name}`;

/** A service that is ready for requests. */
interface Reached {
  url: URL;
  key: string;
  /** For people: `local`, or the URL. */
  name: string;
  close(): Promise<void>;
}

/**
 * Opens the client of a service, starts the embedded service if that is chosen, and closes both afterwards.
 *
 * @throws RowcastError `no_key`, `bad_url`, `insecure_url`
 * @throws Interrupted if a signal came before the service was ready
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
    // Nothing was sent to anyone else, so this is a wrong command.
    if (address.kind === 'embedded' && error instanceof CallError && error.code === 'bad_report_id')
      throw new RowcastError('bad_report_id', 'a report id is 1 to 64 letters, digits, "-" and "_"', {
        hint: 'rowcast reports lists the local reports.',
        cause: error,
      });
    // A service does not disclose its folders, but that of the embedded service is the user's own.
    if (address.kind === 'embedded' && error instanceof RowcastError && error.code === 'no_such_report') {
      const { absentReport } = await import('../reports/one-version.ts');
      const { location, hint } = await absentReport(address.home, options.report ?? '', error);
      error.addLocation(location);
      error.hint = `${hint} Use --url for the reports of another service.`;
    }
    throw error;
  } finally {
    await client.close();
    await close();
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
    log.warn({ code, wait }, `${message}; retrying in ${(wait / 1000).toFixed(1)} s${others}`);
    loggedAt = now;
    unlogged = 0;
  };
}

async function reach(address: Address, { values, env }: ConnectOptions): Promise<Reached> {
  if (address.kind === 'embedded') {
    // Loaded only when it is needed.
    const [{ startEmbedded }, { checkReadable }] = await Promise.all([
      import('../server/embedded/start-embedded.ts'),
      import('../reports/report-folder.ts'),
    ]);
    // Reported by the service, it would look like a temporary failure and be retried.
    await checkReadable(address.home);
    const { url, key, close } = await startEmbedded({ home: address.home });
    return { url: new URL(url), key, name: LOCAL_REPORTS, close };
  }
  const url = readBaseUrl(address.url, values.allowHttp);
  return { url, key: await readKey(address.key, env), name: redacted(url.href), close: async () => {} };
}
