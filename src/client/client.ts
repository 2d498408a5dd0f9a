import { once, setMaxListeners } from 'node:events';
import { createHistogram } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import type { CallStatistics } from '../contract/call-statistics.ts';
import { type Features, type LooseReport, looseReport, type Probabilities } from '../contract/schemas.ts';
import { contractWire, type Wire } from '../contract/wire-names.ts';
import { RowcastError } from '../errors.ts';
import { CallError } from './failures.ts';
import { checkLast } from './last-check.ts';
import { Pacer } from './pacing/pacer.ts';
import { describeReportIssue } from './report-issue.ts';
import {
  checkReport,
  type ExpectedPredictions,
  InvalidResponse,
  parsePredictions,
  type ReceivedPredictions,
} from './response/parse-predictions.ts';
import { ResponseReader } from './response/response-reader.ts';
import { withRetries } from './retry/retry.ts';
import { ServiceAvailability } from './retry/service-availability.ts';
import { startDeadline } from './transport/deadline.ts';
import { type HttpRequest, type RequestLocation, Transport } from './transport/http.ts';
import {
  jsonText,
  MAX_RESPONSE_BYTES,
  maxResponseBytes,
  parseJson,
  readBody,
} from './transport/response-body.ts';
import type { Origin } from './transport/response-origin.ts';
import { type ScoredUpload, upload } from './upload.ts';

export interface ClientOptions {
  /** Base URL, from `readBaseUrl`. */
  url: URL;
  key: string;
  /** Name of the service in messages: `embedded`, or its URL. */
  name: string;
  wire?: Wire;
  /** Timeout of one request, in seconds. */
  timeout?: number;
  /** How long to keep retrying while the service is unavailable, in seconds. */
  maxOutage?: number;
  /** Maximum number of requests in flight. */
  concurrency?: number;
  /** Maximum request rate, even if the service accepts more. */
  maxRequestsPerSecond?: number | undefined;
  /** Maximum personas per second, even if the service accepts more. */
  maxRowsPerSecond?: number | undefined;
  /** Called before each wait for a retry; `wait` is in milliseconds. */
  onRetry?: (failure: CallError, wait: number) => void;
}

/** A request that is retried until it succeeds or fails for good. */
interface RetriedRequest extends HttpRequest {
  /** Number of personas in the body. */
  personas?: number;
  signal?: AbortSignal | undefined;
  /** Larger responses are rejected. */
  maxResponseBytes?: number;
  /** Whether the batch can be halved: it holds several personas. */
  canSplit?: boolean;
  onRetry?: OnRetry | undefined;
}

/**
 * Called before each wait for a retry.
 *
 * @param missing number of other requests that must finish before we can tell whether the rows cause the failure
 */
type OnRetry = (failure: CallError, missing: number) => void;

type Expected = Omit<ExpectedPredictions, 'wire' | 'secret'>;
type ReadBody<T> = (body: Buffer, origin: Origin | undefined) => T;

const TIMEOUT_SECONDS = 60;
const CONCURRENCY = 16;
/**
 * How long a run waits at its end for the report, or for a surplus response: a multiple of the usual latency, because
 * requests that received the response to an earlier one took less time than they should have.
 */
const LAST_WAIT = { calls: 4, least: 200, most: 1_000 };
/** The default is for interactive commands: somebody is waiting. */
const MAX_OUTAGE_SECONDS = 5;

/**
 * Client of the service's API for one run, hosted or embedded. Requests that may succeed later are retried. Redirects
 * are not followed, so that the key is not sent to another host.
 *
 * @throws CallError from every request that has failed for good
 */
export class Client {
  readonly name: string;
  readonly wire: Wire;
  readonly statistics: CallStatistics = { calls: 0, retries: new Map(), latency: createHistogram() };
  readonly #transport: Transport;
  readonly #key: string;
  readonly #maxOutage: number;
  readonly #pacer: Pacer;
  readonly #availability = new ServiceAvailability();
  readonly #responses = new ResponseReader();
  readonly #closed = new AbortController();
  readonly #onRetry: ClientOptions['onRetry'];

  constructor(options: ClientOptions) {
    this.name = options.name;
    this.wire = options.wire ?? contractWire;
    this.#key = options.key;
    this.#maxOutage = options.maxOutage ?? MAX_OUTAGE_SECONDS;
    const concurrency = options.concurrency ?? CONCURRENCY;
    this.#pacer = new Pacer({
      concurrency,
      maxRequests: options.maxRequestsPerSecond,
      maxRows: options.maxRowsPerSecond,
      maxOutage: this.#maxOutage,
    });
    this.#onRetry = options.onRetry;
    // Every pending retry adds a listener. That is not a leak, but Node would print a warning to stderr.
    setMaxListeners(0, this.#closed.signal);
    const timeout = (options.timeout ?? TIMEOUT_SECONDS) * 1000;
    this.#transport = new Transport({ ...options, timeout, connections: concurrency });
  }

  /** The number of requests in flight that currently gives the best throughput. */
  get concurrency(): number {
    return this.#pacer.concurrency;
  }

  /**
   * Checks that no rows were written from a response that may belong to another request.
   *
   * @throws RowcastError `mixed_up_responses`, naming the first such row
   */
  checkWritten(): void {
    const { firstSuspectRow: row } = this.#transport.connections;
    if (row === undefined) return;
    throw new RowcastError(
      'mixed_up_responses',
      `the service sent more responses on a connection than it got requests: from row ${row} on, rows may have predictions that belong to other rows`,
      {
        severity: 'stopped',
        location: { row },
        hint: 'The output was discarded. The service, or a proxy in front of it, mixes up responses; it should echo X-Request-Id.',
      },
    );
  }

  /**
   * The same at the end of a run. If responses are matched to requests by order alone, a surplus response may arrive only
   * after the last one. A connection that has not proved to be in order is watched for a while.
   */
  async checkAllWritten(report: string): Promise<void> {
    const { connections } = this.#transport;
    const calls = LAST_WAIT.calls * this.statistics.latency.percentile(99);
    const ms = Math.min(LAST_WAIT.most, Math.max(LAST_WAIT.least, calls));
    const deadline = startDeadline(ms, this.#closed.signal);
    const { signal } = deadline;
    try {
      const call = reportRequest(report);
      const [transport, pace, wire] = [this.#transport, this.#pacer, this.wire];
      await checkLast({ transport, pacer: pace, wire, request: call, maxBytes: MAX_RESPONSE_BYTES, signal });
      if (connections.atRisk > 0 && !signal.aborted) await once(signal, 'abort');
    } finally {
      deadline.release();
    }
    this.checkWritten();
  }

  /** Aborts all requests in flight and closes the connections. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#transport.close();
  }

  /** A report's tech specs and drivers, and its classes and columns if the service includes them. */
  async report(id: string): Promise<LooseReport> {
    return this.#request(reportRequest(id), body => {
      const parsed = looseReport.safeParse(parseJson(body));
      if (!parsed.success)
        throw new InvalidResponse(`invalid report: ${describeReportIssue(parsed.error.issues)}`);
      checkReport(parsed.data.id, id);
      return parsed.data;
    });
  }

  /** A report's testing results, as CSV. */
  async *testingResults(id: string): AsyncGenerator<Buffer> {
    const call: HttpRequest = {
      method: 'GET',
      path: `/user/testing-results/${encodeURIComponent(id)}`,
      accept: 'text/csv',
    };
    const transport = this.#transport;
    const deadline = startDeadline(transport.timeout, undefined);
    try {
      this.statistics.calls++;
      const response = await transport.open(call, deadline.signal);
      for await (const chunk of response.body) yield chunk;
    } catch (cause) {
      throw transport.failure(cause, transport.locationOf(call));
    } finally {
      deadline.release();
    }
  }

  /** Uploads a CSV and returns it scored, see `upload`. It is not retried, because the input cannot be read twice. */
  async batchPredict(
    id: string,
    csv: AsyncIterable<Buffer>,
    signal: AbortSignal | undefined,
  ): Promise<ScoredUpload> {
    this.statistics.calls++;
    return upload(this.#transport, id, csv, signal);
  }

  /** One persona's probabilities. */
  async persona(id: string, features: Features): Promise<Probabilities> {
    const { wire } = this;
    const body = JSON.stringify({ [wire.id]: id, [wire.features]: features });
    return this.#request({ method: 'POST', path: '/user/persona', body, personas: 1 }, response => {
      // Wrapped as a batch of one, so that the same checks apply.
      const text = jsonText(response);
      const batch = `{${JSON.stringify(wire.predictions)}:[${text}]}`;
      const { classes, probabilities } = parsePredictions(batch, {
        personas: 1,
        classes: undefined,
        wire,
        secret: this.#key,
      });
      if (classes.length === 0) throw new InvalidResponse(`the response has no "${wire.probabilities}"`);
      checkReport(Object(JSON.parse(text))[wire.id], id);
      return Object.fromEntries(classes.map((name, index) => [name, probabilities[index] ?? Number.NaN]));
    });
  }

  /**
   * The validated predictions of a batch. `encode` makes the body.
   *
   * @param signal aborts the request
   */
  async batchPersona(body: Buffer, expected: Expected, signal?: AbortSignal): Promise<ReceivedPredictions> {
    const outcome = await this.tryBatch(body, expected, signal);
    if (outcome instanceof CallError) throw outcome;
    return outcome;
  }

  /** The same, but a failure that may be caused by the rows is returned instead of thrown. */
  async tryBatch(
    body: Buffer,
    expected: Expected,
    signal?: AbortSignal,
    onRetry?: OnRetry,
  ): Promise<ReceivedPredictions | CallError> {
    return this.#tryRequest(this.#batchRequest(body, expected, signal, onRetry), this.#readBatch(expected));
  }

  /** Sends a batch once, without retries, only to see whether the service responds. */
  async probe(body: Buffer, expected: Expected, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#requestOnce(this.#batchRequest(body, expected, signal), this.#readBatch(expected));
      this.#availability.succeeded(performance.now(), true);
      return true;
    } catch (failure) {
      if (failure instanceof CallError && !signal.aborted)
        this.#availability.failed(failure.kind, performance.now());
      return false;
    }
  }

  #batchRequest(body: Buffer, expected: Expected, signal?: AbortSignal, onRetry?: OnRetry): RetriedRequest {
    const { personas, classes } = expected;
    const limit = maxResponseBytes(personas, classes);
    const path = '/user/batch-persona';
    return {
      method: 'POST',
      path,
      body,
      personas,
      canSplit: personas > 1,
      signal,
      onRetry,
      maxResponseBytes: limit,
    };
  }

  #readBatch(expected: Expected): ReadBody<ReceivedPredictions> {
    return (response, origin) => {
      const read = this.#responses.read(response, { ...expected, wire: this.wire, secret: this.#key });
      return origin === undefined ? read : { ...read, origins: [origin] };
    };
  }

  /** @throws CallError if the request has failed for good */
  async #request<T>(call: RetriedRequest, read: ReadBody<T>): Promise<T> {
    const outcome = await this.#tryRequest(call, read);
    if (outcome instanceof CallError) throw outcome;
    return outcome;
  }

  async #tryRequest<T>(call: RetriedRequest, read: ReadBody<T>): Promise<T | CallError> {
    return withRetries(() => this.#requestOnce(call, read), {
      availability: this.#availability,
      pacer: this.#pacer,
      maxOutage: this.#maxOutage,
      signal: call.signal ?? this.#closed.signal,
      canSplit: call.canSplit ?? false,
      onRetry: (failure, wait, missing) => {
        call.onRetry?.(failure, missing);
        const { retries } = this.statistics;
        retries.set(failure.code, (retries.get(failure.code) ?? 0) + 1);
        this.#onRetry?.(failure, wait);
      },
    });
  }

  /** One attempt, sent when the pacer grants a slot. */
  async #requestOnce<T>(
    call: RetriedRequest,
    read: (body: Buffer, origin: Origin | undefined) => T,
  ): Promise<T> {
    const transport = this.#transport;
    const location = transport.locationOf(call);
    const { personas = 0, signal, maxResponseBytes: limit = MAX_RESPONSE_BYTES } = call;
    const slot = await this.#pacer.acquire(personas, signal ?? this.#closed.signal);
    const deadline = startDeadline(transport.timeout, signal);
    let body: Buffer | undefined;
    let origin: Origin | undefined;
    try {
      this.statistics.calls++;
      const response = await transport.open(call, deadline.signal, slot.onHeaders);
      body = await readBody(response.body, limit);
      origin = response.origin;
      // Surplus bytes that arrived together with the end of the response have been read after this.
      if (origin !== undefined) await setImmediate();
    } catch (cause) {
      throw transport.failure(cause, location);
    } finally {
      slot.release(body !== undefined);
      deadline.release();
    }
    if (body === undefined)
      throw new CallError('fatal', 'answer_too_large', `response body exceeds the limit of ${limit} bytes`, {
        location,
      });
    this.statistics.latency.record(Math.max(1, Math.round(performance.now() - slot.sentAt)));
    if (origin?.isSuspect) throw surplusBytes(location);
    try {
      return read(body, origin);
    } catch (cause) {
      throw cause instanceof InvalidResponse
        ? transport.invalidResponse(cause, body.toString('utf8'), location)
        : cause;
    }
  }
}

const reportRequest = (id: string): HttpRequest => ({
  method: 'GET',
  path: `/user/report/${encodeURIComponent(id)}`,
});

const surplusBytes = (location: RequestLocation): CallError =>
  new CallError('invalid_response', 'surplus_bytes', 'the connection delivered more than one response', {
    location,
    hint: 'The service, or a proxy in front of it, sends more data than it announces, so responses may be mixed up.',
  });
