import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type Closing, closings } from '../http/unused-connections.ts';
import { type Refusal, refusals } from '../limits/shares.ts';
import { type HandshakeFailure, handshakeFailures } from './event-log.ts';
import type { RequestObserver } from './request-observer.ts';

export interface Metrics extends RequestObserver {
  /** Personas received a prediction. */
  scored(personas: number): void;
  /** A connection was closed because a limit was reached. */
  connectionClosed(closing: Closing): void;
  /** A request was rejected or aborted because its key exceeded a limit. */
  refused(refusal: Refusal): void;
  /** A TLS handshake failed. */
  handshakeFailed(failure: HandshakeFailure): void;
  /** All metrics in the Prometheus text format. */
  text(): Promise<string>;
  contentType: string;
}

/** Seconds: from reading a report to scoring ten thousand personas. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * The service's metrics. Reading them needs no key, so they contain nothing secret: no report ids, key names or
 * requested paths.
 *
 * @param reportsLoaded returns how many models are in memory
 */
export function openMetrics(reportsLoaded: () => number): Metrics {
  const registry = new Registry();
  const requests = new Counter({
    name: 'rowcast_http_requests_total',
    help: 'Completed requests by route and status; the status is "gone" if the client disconnected.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'rowcast_http_request_duration_seconds',
    help: 'Seconds from receiving a request’s headers to the end of its response.',
    labelNames: ['method', 'route'],
    buckets,
    registers: [registry],
  });
  const inFlight = new Gauge({
    name: 'rowcast_http_requests_in_flight',
    help: 'Requests in flight.',
    registers: [registry],
  });
  const personas = new Counter({
    name: 'rowcast_personas_scored_total',
    help: 'Personas that received a prediction.',
    registers: [registry],
  });
  const connectionsClosed = new Counter({
    name: 'rowcast_connections_closed_total',
    help:
      'Connections closed at a limit: unread, idle or stalled ones to make room, new ones, refused because there was ' +
      'none to close, or those with a request before the response to the last one.',
    labelNames: ['reason'],
    registers: [registry],
  });
  for (const reason of closings) connectionsClosed.inc({ reason }, 0);
  const refused = new Counter({
    name: 'rowcast_refusals_total',
    help: 'Requests rejected or aborted because a key exceeded a rate limit or its share, or an upload was too slow.',
    labelNames: ['reason'],
    registers: [registry],
  });
  for (const reason of refusals) refused.inc({ reason }, 0);
  const handshakesFailed = new Counter({
    name: 'rowcast_tls_handshake_failures_total',
    help: 'Failed TLS handshakes, including connections that the client rejected afterwards.',
    labelNames: ['reason'],
    registers: [registry],
  });
  for (const reason of handshakeFailures) handshakesFailed.inc({ reason }, 0);
  new Gauge({
    name: 'rowcast_reports_loaded',
    help: 'Reports whose model is in memory.',
    registers: [registry],
    collect() {
      this.set(reportsLoaded());
    },
  });
  collectDefaultMetrics({ register: registry });
  let text: Promise<string> | undefined;
  return {
    contentType: registry.contentType,
    started: () => inFlight.inc(),
    ended({ method, route, status, milliseconds }) {
      inFlight.dec();
      requests.inc({ method, route, status });
      durations.observe({ method, route }, milliseconds / 1000);
    },
    scored: count => personas.inc(count),
    refused: reason => refused.inc({ reason }),
    handshakeFailed: reason => handshakesFailed.inc({ reason }),
    connectionClosed: reason => connectionsClosed.inc({ reason }),
    // Shared by concurrent requests: requests without a key must not cause work.
    text: () => {
      text ??= registry.metrics().finally(() => {
        text = undefined;
      });
      return text;
    },
  };
}
