import type { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  defaultTextMapSetter,
  type Histogram,
  type Meter,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { RowcastError } from '../../../base/errors.ts';
import { CallError } from '../../../scoring/failures/call-error.ts';
import type { TraceRequest } from '../../../scoring/scorer.ts';

interface RequestSpansOptions {
  tracer: Tracer;
  /** Whether the service gets the trace context. */
  propagates: boolean;
  /** Undefined if no metrics are sent. */
  durations: Histogram | undefined;
  /** The span that is active, and the one outside of all others. */
  current: AsyncLocalStorage<Context>;
  outermost: Context;
}

/** Bounds in seconds that the semantic conventions give for this metric. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

export const requestDurations = (meter: Meter): Histogram =>
  meter.createHistogram('http.client.request.duration', {
    unit: 's',
    description: 'Duration of HTTP client requests.',
    advice: { explicitBucketBoundaries: BOUNDS },
  });

/** Makes a span of each request, by the semantic conventions for HTTP clients. */
export function requestSpans(options: RequestSpansOptions): TraceRequest {
  const { tracer, propagates, durations, current, outermost } = options;
  const propagator = new W3CTraceContextPropagator();
  const attempts = new WeakMap<object, number>();
  return async ({ method, url, template, identity }, send) => {
    const resends = attempts.get(identity) ?? 0;
    attempts.set(identity, resends + 1);
    const about = { 'http.request.method': method, ...serverOf(url) };
    const context = current.getStore() ?? outermost;
    const attributes: Attributes = { ...about, 'url.full': url, 'url.template': template };
    if (resends > 0) attributes['http.request.resend_count'] = resends;
    const span = tracer.startSpan(`${method} ${template}`, { kind: SpanKind.CLIENT, attributes }, context);
    const headers: Record<string, string> = {};
    if (propagates) propagator.inject(trace.setSpan(context, span), headers, defaultTextMapSetter);
    const begun = performance.now();
    let outcome: Attributes = { 'http.response.status_code': 200 };
    try {
      return await send(headers);
    } catch (error) {
      outcome = outcomeOf(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.setAttributes(outcome).end();
      durations?.record((performance.now() - begun) / 1000, { ...about, ...outcome });
    }
  };
}

function serverOf(url: string): Attributes {
  const { protocol, hostname, port } = new URL(url);
  const defaultPort = protocol === 'https:' ? 443 : 80;
  return {
    'server.address': hostname.replace(/^\[|\]$/g, ''),
    'server.port': port === '' ? defaultPort : Number(port),
  };
}

function outcomeOf(error: unknown): Attributes {
  const status = error instanceof CallError ? error.status : undefined;
  if (status !== undefined) return { 'http.response.status_code': status, 'error.type': String(status) };
  return { 'error.type': errorType(error) };
}

/** An error without its message, which may quote what the service responded. */
export function errorType(error: unknown): string {
  if (error instanceof RowcastError) return error.code;
  return error instanceof Error ? error.name : '_OTHER';
}
