import type { Logger } from 'pino';
import { countOf, durationOf } from '../base/number-text.ts';
import { protocolOption } from '../base/options/service.ts';
import { resolveValues } from '../base/options/values/resolve-options.ts';
import type { ClientOptions } from '../client/client-options.ts';
import { failureTable } from '../client/failure-table.ts';
import type { JobValues } from '../library/job-values.ts';
import { chooseService, type Given } from '../library/service/choose-service.ts';
import { withClient } from '../library/service/open-client.ts';
import { onlyReports } from '../library/service/refuse-protocol.ts';
import type { CallError } from '../scoring/failures/call-error.ts';
import type { Context } from './context.ts';
import type { Service } from './service.ts';

/**
 * Opens the service that the flags choose, for a command that makes single requests of the prediction report API.
 *
 * @throws RowcastError `usage` if the flags choose another protocol
 */
export async function withServiceOf<T>(
  { flags, env, log }: Given & { log: Logger },
  {
    command,
    timeout,
    defined = {},
  }: { command: string; timeout: number; defined?: Readonly<Record<string, unknown>> },
  use: (service: Service) => Promise<T>,
): Promise<T> {
  onlyReports(resolveValues(protocolOption, flags, defined).protocol, `rowcast ${command}`);
  const address = chooseService({ flags, env }, defined);
  if (address.kind === 'remote') {
    const { ReportClient } = await import('../client/protocols/report/report-client.ts');
    const { reportProtocol } = await import('../client/protocols/report/report-protocol.ts');
    const options = { values: { timeout }, env, onRetry: retryLines(log) };
    return withClient(address, reportProtocol(), options, client => use(new ReportClient(client)));
  }
  // Loaded only when it is needed.
  const { openLocalService } = await import('../models/local/service/local-service.ts');
  const service = await openLocalService(address.home);
  try {
    return await use(service);
  } finally {
    await service.close();
  }
}

/** What the requests of a run report. */
export function reportedRequests(
  { log, telemetry }: Context,
  { maxOutage }: Pick<JobValues, 'maxOutage'>,
): Pick<ClientOptions, 'onRetry' | 'trace'> {
  const logRetry = retryLines(log, maxOutage);
  if (telemetry === undefined) return { onRetry: logRetry };
  return {
    onRetry(failure, wait) {
      telemetry.retried(failure, wait);
      logRetry(failure, wait);
    },
    trace: telemetry.traceRequest,
  };
}

/** Minimum time between two log lines about retries: many requests fail at once when a service is down. */
const RETRY_LINE_MS = 5_000;
/** A shorter wait is not worth a figure. */
const SHOWN_WAIT_MS = 1_000;

/**
 * Logs retries: the first at once, further ones now and then.
 *
 * @param maxOutage the value of --max-outage in seconds, if the command has this option
 */
export function retryLines(log: Logger, maxOutage?: number): (failure: CallError, wait: number) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let unlogged = 0;
  return ({ code, message, kind }, wait) => {
    const now = performance.now();
    if (now - loggedAt < RETRY_LINE_MS) {
      unlogged++;
      return;
    }
    const isLimited = maxOutage !== undefined && failureTable[kind].maxOutage !== undefined;
    const when = wait < SHOWN_WAIT_MS ? undefined : `retrying in ${durationOf(wait / 1000)}`;
    const next = isLimited
      ? `${when === undefined ? 'will keep trying' : `${when},`} for up to ${durationOf(maxOutage)} (--max-outage)`
      : (when ?? 'trying again');
    const others = unlogged === 0 ? '' : ` (${countOf(unlogged, 'other request')} since the last message)`;
    log.warn({ event: 'retry', code, wait_ms: wait }, `${message.replace(/\.$/, '')}; ${next}${others}`);
    loggedAt = now;
    unlogged = 0;
  };
}
