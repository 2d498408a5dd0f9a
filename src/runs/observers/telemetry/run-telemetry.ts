import type { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  isSpanContextValid,
  type Span,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { CallError } from '../../../scoring/failures/call-error.ts';
import type { TraceBatch, TraceRequest } from '../../../scoring/scorer.ts';
import type { Summary } from '../../summary/summary.ts';
import { errorType } from './request-spans.ts';

export interface ObservedRun {
  /** What is known of the run now. */
  readonly state: Summary;
  /** What else is said of it: of a run in shards, its plan and shard. An undefined one hides what its state says. */
  readonly attributes?: Readonly<Record<string, string | number | undefined>>;
}

/** What the runs of a command share. */
interface RunTelemetryOptions {
  tracer: Tracer;
  /** The span that is active. */
  current: AsyncLocalStorage<Context>;
  traceRequest: TraceRequest;
}

interface RunSpanOptions {
  run: ObservedRun;
  name: string;
  /** What it is a part of. */
  parent: Context;
}

/** The trace of a run: a span for itself, and in it one for each batch, which contains those of its requests. */
export class RunTelemetry {
  readonly traceRequest: TraceRequest;
  readonly #options: RunTelemetryOptions;
  readonly #run: ObservedRun;
  readonly #span: Span;
  readonly #context: Context;
  #batches = 0;

  constructor(options: RunTelemetryOptions, { run, name, parent }: RunSpanOptions) {
    this.traceRequest = options.traceRequest;
    this.#options = options;
    this.#run = run;
    this.#span = options.tracer.startSpan(name, { attributes: attributesOf(run) }, parent);
    this.#context = trace.setSpan(parent, this.#span);
  }

  /** One of several runs that this one consists of. */
  begin(run: ObservedRun, name = 'rowcast.run'): RunTelemetry {
    return new RunTelemetry(this.#options, { run, name, parent: this.#context });
  }

  /** The trace context of its span, for the processes that the run starts; undefined if it is not sent. */
  get traceparent(): string | undefined {
    const context = this.#span.spanContext();
    if (!isSpanContextValid(context) || !this.#span.isRecording()) return undefined;
    const { traceId, spanId, traceFlags } = context;
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }

  /** Requests that belong to no batch are parts of the run. */
  within<T>(use: () => Promise<T>): Promise<T> {
    return this.#options.current.run(this.#context, use);
  }

  /** @param batches those of earlier processes of the run */
  resumed(batches: number): void {
    this.#batches = batches;
  }

  readonly traceBatch: TraceBatch = async ({ row, rows }, score) => {
    const { tracer, current } = this.#options;
    const attributes = {
      'rowcast.batch.number': ++this.#batches,
      'rowcast.batch.first_row': row,
      'rowcast.batch.rows': rows,
    };
    const span = tracer.startSpan('rowcast.batch', { attributes }, this.#context);
    try {
      return await current.run(trace.setSpan(this.#context, span), score);
    } catch (error) {
      span.setAttribute('error.type', errorType(error)).setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  };

  /** A request failed and is repeated after `wait` milliseconds. */
  retried({ status, code }: Pick<CallError, 'status' | 'code'>, wait: number): void {
    const span = trace.getSpan(this.#options.current.getStore() ?? this.#context);
    span?.addEvent('retry', {
      'error.type': status === undefined ? code : String(status),
      'rowcast.retry.wait_ms': Math.round(wait),
    });
  }

  /** The run has ended: its state says how. */
  end(at = new Date()): void {
    const { state } = this.#run;
    this.#span.setAttributes(attributesOf(this.#run));
    if (state.error !== null) this.#span.setStatus({ code: SpanStatusCode.ERROR });
    this.#span.end(at);
  }
}

const attributesOf = ({ state, attributes }: ObservedRun): Attributes => ({
  ...runAttributes(state),
  ...attributes,
});

/**
 * What a trace says about a run. Of an error, only the code: messages may quote what the service responded, and that
 * may repeat values of a persona.
 */
function runAttributes(summary: Summary): Attributes {
  const { rows, retries, error } = summary;
  const known: Record<string, string | number | null> = {
    run_id: summary.run_id,
    input: summary.input,
    output: summary.output,
    report: summary.report,
    service: summary.service,
    status: summary.status,
    exit_code: summary.exit_code,
    attempts: summary.attempts,
    resumed_from_row: summary.resumed_from_row,
    'rows.read': rows.read,
    'rows.scored': rows.scored,
    'rows.rejected': rows.rejected,
    batches: summary.batches,
    requests: summary.calls,
    retries: Object.values(retries).reduce((sum, count) => sum + count, 0),
  };
  const attributes: Attributes = {};
  for (const [name, value] of Object.entries(known))
    if (value !== null) attributes[`rowcast.${name}`] = value;
  if (error !== null) attributes['error.type'] = error.code;
  return attributes;
}
