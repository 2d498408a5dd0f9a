import type { FastifyBaseLogger } from 'fastify';
import { type Closing, closings } from '../http/unused-connections.ts';
import { type Refusal, refusals } from '../limits/shares.ts';
import { eventLog, type HandshakeFailure, handshakeFailures } from './event-log.ts';
import { type RequestObserver, requestLog } from './request-observer.ts';

interface ServiceTelemetryOptions {
  /** Whether to collect metrics for /metrics. */
  hasMetrics: boolean | undefined;
  log: FastifyBaseLogger | undefined;
  /** Returns how many models are in memory. */
  reportsLoaded(): number;
}

/** The service's metrics and log events. */
export async function openServiceTelemetry({ hasMetrics, log, reportsLoaded }: ServiceTelemetryOptions) {
  // Imported only if used: it takes longer to load than everything else.
  const metrics = hasMetrics ? (await import('./metrics.ts')).openMetrics(reportsLoaded) : undefined;
  const closed = eventLog(log, 'connections_closed', 'closed connections at their limits', closings);
  const refused = eventLog(log, 'requests_refused', 'rejected or aborted', refusals);
  const handshakes = eventLog(log, 'handshakes_failed', 'TLS handshakes failed', handshakeFailures);
  const observers: RequestObserver[] = [];
  if (log !== undefined) observers.push(requestLog(log));
  if (metrics !== undefined) observers.push(metrics);
  return {
    metrics,
    /** Notified of each request. */
    observers,
    /** Call this for each connection that is closed because a limit was reached. */
    onClosing(closing: Closing): void {
      metrics?.connectionClosed(closing);
      closed(closing);
    },
    /** Call this for each request that is rejected or aborted because of a per-key limit. */
    onRefused(refusal: Refusal): void {
      metrics?.refused(refusal);
      refused(refusal);
    },
    /** Call this for each failed TLS handshake. */
    onHandshakeFailed(failure: HandshakeFailure): void {
      metrics?.handshakeFailed(failure);
      // Load balancers probe a port by connecting to it every few seconds.
      if (failure !== 'closed') handshakes(failure);
    },
  };
}
