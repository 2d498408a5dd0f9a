import { setMaxListeners } from 'node:events';
import { createHistogram } from 'node:perf_hooks';
import type { ScoredUpload } from '../base/contract/accounts-trailer.ts';
import type { CallStatistics } from '../base/contract/call-statistics.ts';
import type { Distributions } from '../base/contract/predictions.ts';
import type { Features, LooseReport, PersonaAnswer } from '../base/contract/schemas.ts';
import { contractWire, type Wire } from '../base/contract/wire-names.ts';
import type { RetryPolicy } from '../scoring/failures/attempts.ts';
import { CallError } from '../scoring/failures/call-error.ts';
import { ServiceAvailability } from '../scoring/failures/service-availability.ts';
import type { ReceivedPredictions } from '../scoring/predictions.ts';
import type { ClientOptions } from './client-options.ts';
import { download } from './download.ts';
import { failureTable } from './failure-table.ts';
import { checkLast, checkWritten } from './last-check.ts';
import { Pacer } from './pacing/pacer.ts';
import { parsePersona } from './protocols/report/parse-persona.ts';
import type { ExpectedPredictions } from './protocols/report/parse-predictions.ts';
import { parseReport } from './protocols/report/parse-report.ts';
import { ResponseReader } from './protocols/report/response-reader.ts';
import { type ReadBody, Requests, type WholeRequest } from './requests.ts';
import { withRetries } from './retry/retry.ts';
import { Transport } from './transport/http.ts';
import type { HttpRequest } from './transport/http-request.ts';
import { maxResponseBytes } from './transport/response-body.ts';
import { upload } from './upload.ts';

type Expected = Omit<ExpectedPredictions, 'wire' | 'secret'>;

const TIMEOUT_SECONDS = 60;
const CONCURRENCY = 16;
/** The default is for interactive commands: somebody is waiting. */
const MAX_OUTAGE_SECONDS = 5;

/**
 * Client of a service's API for one run. Requests that may succeed later are retried. Redirects
 * are not followed, so that the key is not sent to another host.
 *
 * @throws CallError from every request that has failed for good
 */
export class ServiceClient {
  readonly name: string;
  readonly wire: Wire;
  readonly statistics: CallStatistics = {
    calls: 0,
    inFlight: 0,
    retries: new Map(),
    latency: createHistogram(),
  };
  /** How failed requests are handled. */
  readonly retryPolicy: RetryPolicy;
  readonly #transport: Transport;
  readonly #key: string;
  readonly #options: ClientOptions;
  readonly #pacer: Pacer;
  readonly #requests: Requests;
  readonly #responses = new ResponseReader();
  readonly #closed = new AbortController();

  /** @param shared a client whose pace and knowledge of the service this one shares */
  constructor(options: ClientOptions, shared?: ServiceClient) {
    this.#options = options;
    this.name = options.name;
    this.wire = options.wire ?? contractWire;
    this.#key = options.key;
    const { onRetry } = options;
    const maxOutage = options.maxOutage ?? MAX_OUTAGE_SECONDS;
    const concurrency = options.concurrency ?? CONCURRENCY;
    const pacer =
      shared === undefined
        ? new Pacer({
            concurrency,
            maxRequests: options.maxRequestsPerSecond,
            maxRows: options.maxRowsPerSecond,
            maxOutage,
            shared: options.sharedPace,
          })
        : shared.#pacer;
    const { statistics } = this;
    const table = options.failureTable ?? failureTable;
    this.retryPolicy = {
      table,
      maxOutage,
      outageOption: options.maxOutage === undefined ? undefined : '--max-outage',
      availability: shared?.retryPolicy.availability ?? new ServiceAvailability(),
      pause: ms => pacer.pause(ms),
      onRetry(failure, wait) {
        const { retries } = statistics;
        retries.set(failure.code, (retries.get(failure.code) ?? 0) + 1);
        onRetry?.(CallError.from(failure), wait);
      },
    };
    const closed = this.#closed.signal;
    // Every pending retry adds a listener. That is not a leak, but Node would print a warning to stderr.
    setMaxListeners(0, closed);
    const timeout = (options.timeout ?? TIMEOUT_SECONDS) * 1000;
    const transport = new Transport({ ...options, timeout, connections: concurrency, failureTable: table });
    this.#pacer = pacer;
    this.#transport = transport;
    this.#requests = new Requests({
      transport,
      pacer,
      statistics,
      closed,
      shared: shared === undefined ? undefined : shared.#requests,
      trace: options.trace,
    });
  }

  /**
   * A client for one of several runs: they share the pace and what is known of the service. Statistics and connections
   * are its own, so surplus responses cast doubt on the rows of one run only.
   */
  forRun(own: Pick<ClientOptions, 'maxOutage' | 'onRetry'> = {}): ServiceClient {
    return new ServiceClient({ ...this.#options, ...own }, this);
  }

  /** The number of requests in flight that currently gives the best throughput. */
  get concurrency(): number {
    return this.#pacer.concurrency;
  }

  /**
   * To be called before rows are written, from responses with these origins.
   *
   * @returns false if the responses may belong to other requests: the rows must be scored again
   * @throws RowcastError `mixed_up_responses` if rows were already written from such a response
   */
  confirm(origins: readonly number[], row: number): boolean {
    const { connections } = this.#transport;
    checkWritten(connections);
    return connections.confirm(origins, row);
  }

  /** Checks all written rows at the end of a run, when a surplus response may still arrive. */
  async checkAllWritten(report: string): Promise<void> {
    const { latency } = this.statistics;
    const [transport, pacer, wire, request] = [
      this.#transport,
      this.#pacer,
      this.wire,
      reportRequest(report),
    ];
    await checkLast({ transport, pacer, wire, request, latency, closed: this.#closed.signal });
  }

  /** Aborts all requests in flight and closes the connections. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#transport.close();
  }

  /** A report's tech specs and drivers, and its classes and columns if the service includes them. */
  async report(id: string, signal?: AbortSignal): Promise<LooseReport> {
    return this.#request({ ...reportRequest(id), signal }, body => parseReport(body, id));
  }

  /** A report's testing results, as CSV. */
  async *testingResults(id: string): AsyncGenerator<Buffer> {
    this.statistics.calls++;
    yield* download(this.#transport, `/user/testing-results/${encodeURIComponent(id)}`);
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

  /** One persona's probabilities, and what the service says about its values. */
  async persona(id: string, features: Features, signal?: AbortSignal): Promise<PersonaAnswer> {
    const { wire } = this;
    const body = JSON.stringify({ [wire.id]: id, [wire.features]: features });
    const expected = { report: id, wire, secret: this.#key };
    const request: WholeRequest = { method: 'POST', path: '/user/persona', body, personas: 1, signal };
    return this.#request(request, response => parsePersona(response, expected));
  }

  /**
   * The validated predictions of a batch.
   *
   * @param signal aborts the request
   */
  async batchPersona(
    body: Buffer,
    expected: Expected,
    signal?: AbortSignal,
  ): Promise<ReceivedPredictions<Distributions>> {
    return this.#retried(() => this.tryBatch(body, expected, signal), expected.personas > 1, signal);
  }

  /** The same, in a single attempt. */
  async tryBatch(
    body: Buffer,
    expected: Expected,
    signal?: AbortSignal,
  ): Promise<ReceivedPredictions<Distributions>> {
    const { personas, classes } = expected;
    const limit = maxResponseBytes(personas, classes);
    const path = '/user/batch-persona';
    return this.#requests.send(
      { method: 'POST', path, body, personas, signal, maxResponseBytes: limit },
      (response, origin) => {
        const read = this.#responses.read(response, { ...expected, wire: this.wire, secret: this.#key });
        return origin === undefined ? read : { ...read, origins: [origin.id] };
      },
    );
  }

  async #request<T>(request: WholeRequest, read: ReadBody<T>): Promise<T> {
    return this.#retried(() => this.#requests.send(request, read), false, request.signal);
  }

  async #retried<T>(
    attempt: () => Promise<T>,
    canSplit: boolean,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    return withRetries(attempt, this.retryPolicy, canSplit, signal ?? this.#closed.signal);
  }
}

const reportRequest = (id: string): HttpRequest => ({
  method: 'GET',
  path: `/user/report/${encodeURIComponent(id)}`,
  template: '/user/report/{id}',
});
