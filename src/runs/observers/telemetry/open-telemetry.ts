import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import {
  type Attributes,
  type Context,
  DiagLogLevel,
  defaultTextMapGetter,
  diag,
  type Meter,
  ROOT_CONTEXT,
} from '@opentelemetry/api';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { timeLimit } from '../../../base/interrupted.ts';
import { sanitize } from '../../../base/sanitize.ts';
import { reasonOf } from '../../../base/system-error.ts';
import { runMetrics } from '../../summary/run-metrics.ts';
import { NO_TIME, openExporters } from './exporters.ts';
import { requestDurations, requestSpans } from './request-spans.ts';
import { type ObservedRun, RunTelemetry } from './run-telemetry.ts';
import type { TelemetrySettings } from './telemetry-settings.ts';

/** Traces and metrics of one command. */
export interface Telemetry {
  run: RunTelemetry;
  /**
   * Ends the run and sends what is left, but does not wait long for it.
   *
   * @param over ends the waiting if it is aborted meanwhile
   */
  close(over: AbortSignal): Promise<void>;
}

export interface TelemetryOptions {
  version: string;
  /** The run of the command; several files are runs in it. */
  run: ObservedRun;
  name: 'rowcast.run' | 'rowcast.runs' | 'rowcast.work';
  /** Whose metrics are sent, if not those of `run`. */
  measured?: ObservedRun | undefined;
  /** The trace context that applies unless the environment has one. */
  parent?: string | undefined;
  /** Called when something cannot be sent. */
  warn(reason: string): void;
}

/** @throws what the packages throw for invalid settings */
export function openTelemetry(settings: TelemetrySettings, options: TelemetryOptions): Telemetry {
  const { version, run, name, measured = run, parent, warn } = options;
  setGlobalErrorHandler(error => warn(describe(error)));
  diag.setLogger(warningsTo(warn), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const exporters = openExporters(settings, version);
  const { tracer, meter, timeout } = exporters;
  const current = new AsyncLocalStorage<Context>();
  const outermost = givenContext(parent);
  const { propagates, metrics } = settings;
  const durations = metrics ? requestDurations(meter) : undefined;
  const traceRequest = requestSpans({ tracer, propagates, durations, current, outermost });
  const ofRun = new RunTelemetry({ tracer, current, traceRequest }, { run, name, parent: outermost });
  observeRun(meter, measured);
  return {
    run: ofRun,
    async close(over) {
      const endedAt = new Date();
      const sent = exporters
        .flush()
        .catch(error => warn(describe(error)))
        // After the others, which may have filled the queue.
        .then(() => ofRun.end(endedAt))
        .then(exporters.shutdown)
        .catch(error => warn(describe(error)))
        .then(() => true);
      // What is aborted already does not end the waiting.
      const limit = timeLimit(timeout, over.aborted ? new AbortController().signal : over);
      const isSent = await Promise.race([sent, once(limit.over, 'abort').then(() => false)]);
      limit.end();
      exporters.destroy();
      if (!isSent) warn(NO_TIME);
    },
  };
}

/** The span in which the command was started, from the environment. */
function givenContext(otherwise: string | undefined): Context {
  const { TRACEPARENT: traceparent = otherwise, TRACESTATE: tracestate } = process.env;
  return new W3CTraceContextPropagator().extract(
    ROOT_CONTEXT,
    { traceparent, tracestate },
    defaultTextMapGetter,
  );
}

/** Passes on the exporters' warnings that cannot contain a header, which may be a key. */
function warningsTo(warn: (reason: string) => void) {
  const ignore = (): void => {};
  return {
    error: ignore,
    info: ignore,
    debug: ignore,
    verbose: ignore,
    warn(message: string): void {
      if (message.startsWith('Dropped '))
        warn('spans end faster than they can be sent, so some are left out');
      if (message.startsWith('Received Partial Success')) warn('the collector rejected a part of them');
    },
  };
}

/** The reason of a failed export, without what the collector responded. */
function describe(error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : [error].flat();
  if (first !== error && first !== undefined) return describe(first);
  // A number is the status of a response: the codes of Node's errors are words.
  if (error instanceof Error && 'code' in error && typeof error.code === 'number')
    return `the collector responded with ${error.code}`;
  return sanitize(reasonOf(error).replace(/^.*metrics export failed \(error (?:\w*Error: )?(.*)\)$/s, '$1'));
}

/** Reports the metrics of a run, those of `--metrics`, whenever metrics are collected. */
function observeRun(meter: Meter, run: ObservedRun): void {
  const gauges = new Map(
    runMetrics(run.state).map(({ name, unit, help }) => [
      name,
      meter.createObservableGauge(`rowcast.run.${name}`, { unit, description: help }),
    ]),
  );
  meter.addBatchObservableCallback(
    result => {
      const more = ofShard(run);
      for (const { name, samples } of runMetrics(run.state)) {
        const gauge = gauges.get(name);
        if (gauge === undefined) continue;
        for (const { value, labels } of samples) result.observe(gauge, value, { ...labels, ...more });
      }
    },
    [...gauges.values()],
  );
}

/** Plan and shard of a run in shards: several processes measure one output. */
const ofShard = ({ attributes = {} }: ObservedRun): Attributes => ({
  ...(attributes['rowcast.plan'] !== undefined && { plan: attributes['rowcast.plan'] }),
  ...(attributes['rowcast.shard'] !== undefined && { shard: attributes['rowcast.shard'] }),
});
