import type { Logger } from 'pino';
import type { CallError } from '../client/call-error.ts';
import type { ClientOptions } from '../client/client-options.ts';
import { chooseService, type Given } from '../library/service/choose-service.ts';
import { withClient } from '../library/service/with-client.ts';
import type { Context } from './context.ts';
import type { Service } from './service.ts';

/** Opens the service that the flags choose, for a command that makes single requests. */
export async function withServiceOf<T>(
  { flags, env, log }: Given & { log: Logger },
  { timeout }: { timeout: number },
  use: (service: Service) => Promise<T>,
): Promise<T> {
  const address = chooseService({ flags, env });
  if (address.kind === 'remote')
    return withClient(address, { values: { timeout }, env, onRetry: retryLines(log) }, use);
  // Loaded only when it is needed.
  const { openLocalService } = await import('../local/service/local-service.ts');
  const service = await openLocalService(address.home);
  try {
    return await use(service);
  } finally {
    await service.close();
  }
}

/** What the requests of a run report. */
export function reportedRequests({ log, telemetry }: Context): Pick<ClientOptions, 'onRetry' | 'trace'> {
  const logRetry = retryLines(log);
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

/** Logs retries: the first at once, further ones now and then. */
export function retryLines(log: Logger): (failure: CallError, wait: number) => void {
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
      `${message.replace(/\.$/, '')}; retrying in ${(wait / 1000).toFixed(1)} s${others}`,
    );
    loggedAt = now;
    unlogged = 0;
  };
}
