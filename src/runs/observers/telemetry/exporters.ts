import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import { createNoopMeter, trace } from '@opentelemetry/api';
import { getNumberFromEnv } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { TelemetrySettings } from './telemetry-settings.ts';

type Signal = 'TRACES' | 'METRICS';

const [TIMEOUT, MAX_TIMEOUT] = [5_000, 10_000];
const [METRIC_INTERVAL, METRIC_TIMEOUT] = [60_000, 30_000];

/** Opens the exporters of the signals that are sent. They read the other variables of OpenTelemetry themselves. */
export function openExporters({ traces, metrics }: TelemetrySettings, version: string) {
  const agents = collectorAgents(process.env);
  const options = (signal: Signal) => ({
    timeoutMillis: timeoutOf(signal),
    httpAgentOptions: agents.factory(signal),
  });
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'rowcast', 'service.version': version }))
    .merge(detectResources({ detectors: [envDetector] }));
  // Both are bounded: the processor drops spans beyond its queue, the reader keeps only the latest values.
  const spans = traces ? new BatchSpanProcessor(new OTLPTraceExporter(options('TRACES'))) : undefined;
  const tracing = spans && new BasicTracerProvider({ resource, spanProcessors: [spans] });
  const metering = metrics
    ? new MeterProvider({ resource, readers: [metricReader(new OTLPMetricExporter(options('METRICS')))] })
    : undefined;
  const providers = [tracing, metering].filter(provider => provider !== undefined);
  return {
    // Without a provider, spans cost nothing and are not sent.
    tracer: tracing?.getTracer('rowcast', version) ?? trace.getTracer('rowcast'),
    meter: metering?.getMeter('rowcast', version) ?? createNoopMeter(),
    /** The longest time that one request to the collector takes, with its retries. */
    timeout: Math.max(timeoutOf('TRACES'), timeoutOf('METRICS')),
    /** Sends the spans that have ended so far. */
    async flush(): Promise<void> {
      agents.finish();
      await tracing?.forceFlush();
    },
    /** Sends everything that is left. */
    async shutdown(): Promise<void> {
      const ended = await Promise.allSettled(providers.map(provider => provider.shutdown()));
      for (const end of ended) if (end.status === 'rejected') throw end.reason;
    },
    /** Stops at once. */
    destroy: agents.destroy,
  };
}

/** Limited, because the end of a run waits for it. */
function timeoutOf(signal: Signal): number {
  const given =
    getNumberFromEnv(`OTEL_EXPORTER_OTLP_${signal}_TIMEOUT`) ??
    getNumberFromEnv('OTEL_EXPORTER_OTLP_TIMEOUT');
  return given === undefined || !(given > 0) ? TIMEOUT : Math.min(given, MAX_TIMEOUT);
}

function metricReader(exporter: OTLPMetricExporter): PeriodicExportingMetricReader {
  const read = (name: string, otherwise: number): number => {
    const given = getNumberFromEnv(name);
    return given !== undefined && given > 0 ? given : otherwise;
  };
  const exportIntervalMillis = read('OTEL_METRIC_EXPORT_INTERVAL', METRIC_INTERVAL);
  const exportTimeoutMillis = Math.min(
    exportIntervalMillis,
    read('OTEL_METRIC_EXPORT_TIMEOUT', METRIC_TIMEOUT),
  );
  return new PeriodicExportingMetricReader({ exporter, exportIntervalMillis, exportTimeoutMillis });
}

type Environment = Readonly<Record<string, string | undefined>>;

export const NO_TIME = 'there was no time left to send all';

/**
 * Connections to the collector, which can be given up at any time: with agents of our own, because the exporters keep theirs to themselves, and would delay the end of the process until
 * their retries are over.
 */
function collectorAgents(env: Environment) {
  const sockets = new Set<Duplex>();
  let isFinishing = false;
  let isOver = false;
  return {
    /** Makes the agent that an exporter takes as `httpAgentOptions`. */
    factory: (signal: Signal) => (protocol: string) => {
      const options = { keepAlive: true, ...certificates(env, signal) };
      const agent = protocol === 'http:' ? new http.Agent(options) : new https.Agent(options);
      const connect = agent.createConnection.bind(agent);
      agent.createConnection = (...args) => {
        if (isOver) throw new Error(NO_TIME);
        const socket = connect(...args);
        socket?.once('error', (error: NodeJS.ErrnoException) => {
          // The exporters retry after errors with certain codes, and after no others.
          if (isFinishing) delete error.code;
        });
        socket?.once('close', () => sockets.delete(socket));
        if (socket) sockets.add(socket);
        return socket;
      };
      return agent;
    },
    /** From now on, a connection that fails is not tried again: somebody waits for the end. */
    finish(): void {
      isFinishing = true;
    },
    destroy(): void {
      isOver = true;
      for (const socket of sockets) socket.destroy(new Error(NO_TIME));
    },
  };
}

/** Reads the certificates that the exporters use by default. @throws if a file cannot be read */
function certificates(env: Environment, signal: string): https.AgentOptions {
  const read = (name: string): Buffer | undefined => {
    const path = env[`OTEL_EXPORTER_OTLP_${signal}_${name}`] || env[`OTEL_EXPORTER_OTLP_${name}`];
    return path ? readFileSync(path) : undefined;
  };
  const [ca, cert, key] = [read('CERTIFICATE'), read('CLIENT_CERTIFICATE'), read('CLIENT_KEY')];
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
}
