import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { closings } from '../http/unused-connections.ts';
import { refusals } from '../limits/shares.ts';
import { handshakeFailures, kindsOf } from './event-log.ts';
import type { RequestRecord } from './request-observer.ts';

export type ServiceMetrics = ReturnType<typeof openMetrics>;

/** Seconds: from reading a report to scoring ten thousand personas. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * The service's metrics. Reading them needs no key, so they contain nothing secret: no report ids, key names or
 * requested paths.
 *
 * @param reportsLoaded returns how many models are in memory
 */
export function openMetrics(reportsLoaded: () => number) {
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
  /** Counts by reason, each from 0 on. */
  const countOf = <Reason extends string>(name: string, help: string, reasons: Record<Reason, string>) => {
    const counter = new Counter({ name, help, labelNames: ['reason'], registers: [registry] });
    for (const reason of kindsOf(reasons)) counter.inc({ reason }, 0);
    return (reason: Reason): void => counter.inc({ reason });
  };
  const connectionClosed = countOf(
    'rowcast_connections_closed_total',
    'Connections closed at a limit: unread, idle or stalled ones to make room, new ones, refused because there was ' +
      'none to close, or those with a request before the response to the last one.',
    closings,
  );
  const refused = countOf(
    'rowcast_refusals_total',
    'Requests rejected or aborted because a key exceeded a rate limit or its share, or an upload was too slow.',
    refusals,
  );
  const handshakeFailed = countOf(
    'rowcast_tls_handshake_failures_total',
    'Failed TLS handshakes, including connections that the client rejected afterwards.',
    handshakeFailures,
  );
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
    ended({ method, route, status, milliseconds }: RequestRecord) {
      inFlight.dec();
      requests.inc({ method, route, status });
      durations.observe({ method, route }, milliseconds / 1000);
    },
    /** Personas received a prediction. */
    scored: (count: number) => personas.inc(count),
    refused,
    handshakeFailed,
    connectionClosed,
    /**
     * All metrics in the Prometheus text format; shared by concurrent requests, which need no key and must not cause
     * work.
     */
    text: () => {
      text ??= registry.metrics().finally(() => {
        text = undefined;
      });
      return text;
    },
  };
}
