import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Closing } from '../http/unused-connections.ts';
import { type Refusal, refusals } from '../limits/refusals.ts';
import { type HandshakeFailure, handshakeFailures } from './handshake-failures.ts';
import type { RequestObserver } from './request-observer.ts';

export interface Metrics extends RequestObserver {
  /** Personas were given a prediction. */
  scored(personas: number): void;
  /** A connection was closed because there were as many as the limit. */
  connectionClosed(closing: Closing): void;
  /** A key was refused more than is left for it. */
  refused(refusal: Refusal): void;
  /** A TLS handshake failed. */
  handshakeFailed(failure: HandshakeFailure): void;
  /** All of it, as Prometheus reads it. */
  text(): Promise<string>;
  contentType: string;
}

/** Seconds; from a look at a report to a batch of ten thousand personas. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * What the service does, in numbers. They need no key to be read, so there is no secret among them: no report's id,
 * no key's name, no path as it was asked for.
 *
 * @param reportsLoaded how many models are in memory, when asked
 */
export function openMetrics(reportsLoaded: () => number): Metrics {
  const registry = new Registry();
  const requests = new Counter({
    name: 'rowcast_http_requests_total',
    help: 'Requests answered, by route and status; the status of one whose client went away is "gone".',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'rowcast_http_request_duration_seconds',
    help: 'Seconds from a request’s headers to the end of its answer.',
    labelNames: ['method', 'route'],
    buckets,
    registers: [registry],
  });
  const inFlight = new Gauge({
    name: 'rowcast_http_requests_in_flight',
    help: 'Requests begun and not answered.',
    registers: [registry],
  });
  const personas = new Counter({
    name: 'rowcast_personas_scored_total',
    help: 'Personas that were given a prediction.',
    registers: [registry],
  });
  const connectionsClosed = new Counter({
    name: 'rowcast_connections_closed_total',
    help:
      'Connections closed because the limit was reached: to make room, idle or stalled ones; or new ones, refused ' +
      'because there was no such connection.',
    labelNames: ['reason'],
    registers: [registry],
  });
  for (const reason of ['idle', 'stalled', 'refused'] satisfies Closing[])
    connectionsClosed.inc({ reason }, 0);
  const refused = new Counter({
    name: 'rowcast_refusals_total',
    help: 'Requests refused or ended because a key was at its rate or share, or an upload came too slowly.',
    labelNames: ['reason'],
    registers: [registry],
  });
  for (const reason of refusals) refused.inc({ reason }, 0);
  const handshakesFailed = new Counter({
    name: 'rowcast_tls_handshake_failures_total',
    help: 'TLS handshakes that failed, and connections that the client refused after them.',
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
    // Shared by those who ask at once: who has no key must not make work.
    text: () => {
      text ??= registry.metrics().finally(() => {
        text = undefined;
      });
      return text;
    },
  };
}
