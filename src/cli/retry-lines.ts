import type { Logger } from 'pino';
import { countOf, durationOf } from '../base/number-text.ts';
import { failureTable } from '../client/failure-table.ts';
import type { CallError } from '../scoring/failures/call-error.ts';
import type { StoreSettings } from '../storage/backends.ts';

/** Minimum time between two log lines about retries: many requests fail at once when a service is down. */
const RETRY_LINE_MS = 5_000;
/** A shorter wait is not worth a figure. */
const SHOWN_WAIT_MS = 1_000;

/** Logs retries: the first at once, further ones now and then; `limit` is --max-outage, if that limits them. */
function retryLogger(log: Logger) {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let unlogged = 0;
  return (code: string, message: string, wait: number, limit: number | undefined): void => {
    const now = performance.now();
    if (now - loggedAt < RETRY_LINE_MS) {
      unlogged++;
      return;
    }
    const when = wait < SHOWN_WAIT_MS ? undefined : `retrying in ${durationOf(wait / 1000)}`;
    const next =
      limit === undefined
        ? (when ?? 'trying again')
        : `${when === undefined ? 'will keep trying' : `${when},`} for up to ${durationOf(limit)} (--max-outage)`;
    const others = unlogged === 0 ? '' : ` (${countOf(unlogged, 'other request')} since the last message)`;
    log.warn({ event: 'retry', code, wait_ms: wait }, `${message.replace(/\.$/, '')}; ${next}${others}`);
    loggedAt = now;
    unlogged = 0;
  };
}

/**
 * Logs retries of requests to a service.
 *
 * @param maxOutage the value of --max-outage in seconds, if the command has this option
 */
export function retryLines(log: Logger, maxOutage?: number): (failure: CallError, wait: number) => void {
  const logRetry = retryLogger(log);
  return ({ code, message, kind }, wait) => {
    const isLimited = failureTable[kind].maxOutage !== undefined;
    logRetry(code, message, wait, isLimited ? maxOutage : undefined);
  };
}

/** Logs retries of requests to a store. @param maxOutage the value of --max-outage in seconds */
export function storeRetryLines(log: Logger, maxOutage: number): NonNullable<StoreSettings['onRetry']> {
  const logRetry = retryLogger(log);
  return ({ message }, name, wait) =>
    logRetry('store_unavailable', `${name}: ${message}`, Math.round(wait), maxOutage);
}
