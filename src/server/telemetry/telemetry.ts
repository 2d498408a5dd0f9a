import type { FastifyBaseLogger } from 'fastify';
import { type Closing, describeClosings } from '../http/unused-connections.ts';
import { describeRefusals, type Refusal } from '../limits/refusals.ts';
import { EventLog } from './event-log.ts';
import { describeHandshakes, type HandshakeFailure } from './handshake-failures.ts';
import type { Metrics } from './metrics.ts';
import { requestLog } from './request-log.ts';
import type { RequestObserver } from './request-observer.ts';

export interface TelemetryOptions {
  /** Whether to count for /metrics. */
  hasMetrics: boolean | undefined;
  log: FastifyBaseLogger | undefined;
  /** How many models are in memory, when asked. */
  reportsLoaded(): number;
  /** The limit of connections. */
  connections: number;
}

/** What the service tells of itself, as metrics and in the log. */
export interface Telemetry {
  metrics: Metrics | undefined;
  /** Told of each request. */
  observers: readonly RequestObserver[];
  /** To be called for each connection that is closed because there are as many as the limit. */
  onClosing(closing: Closing): void;
  /** To be called for each refusal of more than is left for a key. */
  onRefused(refusal: Refusal): void;
  /** To be called for each TLS handshake that failed. */
  onHandshakeFailed(failure: HandshakeFailure): void;
}

export async function openTelemetry({
  hasMetrics,
  log,
  reportsLoaded,
  connections,
}: TelemetryOptions): Promise<Telemetry> {
  // Loaded where it is used only: it takes longer than all the rest.
  const metrics = hasMetrics ? (await import('./metrics.ts')).openMetrics(reportsLoaded) : undefined;
  const closings = log && new EventLog<Closing>(log, counts => describeClosings(counts, connections));
  const refusals = log && new EventLog<Refusal>(log, describeRefusals);
  const handshakes = log && new EventLog<HandshakeFailure>(log, describeHandshakes);
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
      // Load balancers check a port by connecting to it, every few seconds.
      if (failure !== 'closed') handshakes?.add(failure);
    },
  };
}
