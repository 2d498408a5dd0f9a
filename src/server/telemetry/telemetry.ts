import type { FastifyBaseLogger } from 'fastify';
import { type Closing, describeClosings } from '../http/unused-connections.ts';
import { describeRefusals, type Refusal } from '../limits/shares.ts';
import { describeHandshakes, EventLog, type HandshakeFailure } from './event-log.ts';
import type { Metrics } from './metrics.ts';
import { type RequestObserver, requestLog } from './request-observer.ts';

interface TelemetryOptions {
  /** Whether to collect metrics for /metrics. */
  hasMetrics: boolean | undefined;
  log: FastifyBaseLogger | undefined;
  /** Returns how many models are in memory. */
  reportsLoaded(): number;
}

/** The service's metrics and log events. */
interface Telemetry {
  metrics: Metrics | undefined;
  /** Notified of each request. */
  observers: readonly RequestObserver[];
  /** Call this for each connection that is closed because a limit was reached. */
  onClosing(closing: Closing): void;
  /** Call this for each request that is rejected or aborted because of a per-key limit. */
  onRefused(refusal: Refusal): void;
  /** Call this for each failed TLS handshake. */
  onHandshakeFailed(failure: HandshakeFailure): void;
}

export async function openTelemetry({
  hasMetrics,
  log,
  reportsLoaded,
}: TelemetryOptions): Promise<Telemetry> {
  // Imported only if used: it takes longer to load than everything else.
  const metrics = hasMetrics ? (await import('./metrics.ts')).openMetrics(reportsLoaded) : undefined;
  const closings = log && new EventLog<Closing>(log, 'connections_closed', describeClosings);
  const refusals = log && new EventLog<Refusal>(log, 'requests_refused', describeRefusals);
  const handshakes = log && new EventLog<HandshakeFailure>(log, 'handshakes_failed', describeHandshakes);
  return {
    metrics,
    observers: [log && requestLog(log), metrics].filter(observer => observer !== undefined),
    onClosing(closing) {
      metrics?.connectionClosed(closing);
      closings?.add(closing);
    },
    onRefused(refusal) {
      metrics?.refused(refusal);
      refusals?.add(refusal);
    },
    onHandshakeFailed(failure) {
      metrics?.handshakeFailed(failure);
      // Load balancers probe a port by connecting to it every few seconds.
      if (failure !== 'closed') handshakes?.add(failure);
    },
  };
}
