import { setMaxListeners } from 'node:events';
import { type CallStatistics, newCallStatistics } from '../base/contract/call-statistics.ts';
import type { Auth } from '../base/contract/protocol-names.ts';
import type { Description } from '../base/contract/schemas.ts';
import type { SharedPace } from '../base/contract/shared-pace.ts';
import type { RetryPolicy } from '../scoring/failures/attempts.ts';
import { CallError } from '../scoring/failures/call-error.ts';
import type { FailureTable } from '../scoring/failures/failure-rule.ts';
import { ServiceAvailability } from '../scoring/failures/service-availability.ts';
import type { ReceivedPredictions } from '../scoring/predictions.ts';
import type { TraceRequest } from '../scoring/scorer.ts';
import { Credentials, type Key, type Secrets } from './credentials.ts';
import { failureTable, withStatuses } from './failure-table.ts';
import { checkLast, checkWrittenResponses } from './last-check.ts';
import { Pacer } from './pacing/pacer.ts';
import { type Expected, expectedClasses, type Protocol, type ResponseReader } from './protocols/protocol.ts';
import { isNoAnswer, ModelReadiness, Requests, type WholeRequest, withRetries } from './requests.ts';
import { Transport } from './transport/http.ts';
import type { HttpProxy } from './transport/http-proxy.ts';
import type { HttpRequest } from './transport/http-request.ts';
import { maxResponseBytes } from './transport/response-body.ts';
import type { ClientTls } from './transport/tls.ts';

const TIMEOUT_SECONDS = 60;
const CONCURRENCY = 16;
/** The default is for interactive commands: somebody is waiting. */
const MAX_OUTAGE_SECONDS = 5;

/**
 * Client of a service for one run, by any protocol. Requests that may succeed later are retried. Redirects are not
 * followed, so that the key is not sent to another host.
 *
 * @throws CallError from every request that has failed for good
 */
export class ServiceClient<P extends Protocol = Protocol> {
  readonly name: string;
  readonly protocol: P;
  readonly statistics: CallStatistics = newCallStatistics();
  /** How failed requests are handled. */
  readonly retryPolicy: RetryPolicy;
  readonly transport: Transport;
  readonly #credentials: Credentials;
  readonly #options: ServiceClientOptions<P>;
  readonly #pacer: Pacer;
  readonly #requests: Requests;
  readonly #readiness: ModelReadiness;
  readonly #closed = new AbortController();

  /** @param shared a client whose pace and knowledge of the service this one shares */
  constructor(options: ServiceClientOptions<P>, shared?: ServiceClient) {
    this.#options = options;
    this.name = options.name;
    this.protocol = options.protocol;
    const { url, key, keyFrom, auth = options.protocol.auth, headers, tls, proxy, onRetry } = options;
    this.#credentials = new Credentials({ auth, key, keyFrom, headers, ofProxy: proxy?.secrets });
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
    const { statistics, protocol } = this;
    const table = withStatuses(options.failureTable ?? failureTable, protocol.statuses);
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
    const transport = new Transport({
      url,
      credentials: this.#credentials,
      tls,
      proxy,
      timeout,
      connections: concurrency,
      failureTable: table,
      problemOf: (status, body, headers) => protocol.problemOf(status, body, headers),
    });
    this.#pacer = pacer;
    this.transport = transport;
    this.#requests = new Requests({
      transport,
      pacer,
      statistics,
      closed,
      shared: shared === undefined ? undefined : shared.#requests,
      trace: options.trace,
    });
    this.#readiness = new ModelReadiness(protocol, this.#requests);
  }

  /**
   * A client for one of several runs: they share the pace and what is known of the service. Statistics and connections
   * are its own, so surplus responses cast doubt on the rows of one run only.
   */
  forRun(own: Pick<ServiceClientOptions, 'maxOutage' | 'onRetry'> = {}): ServiceClient<P> {
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
    const { origins: known } = this.transport.connections;
    checkWrittenResponses(known);
    return known.confirm(origins, row);
  }

  /** Checks all written rows at the end of a run, when a surplus response may still arrive. */
  async checkAllWritten(model: string): Promise<void> {
    const { protocol, transport } = this;
    await checkLast({
      transport,
      pacer: this.#pacer,
      request: protocol.describe?.(model).request ?? protocol.ready?.(model)?.request,
      kindOf: body => protocol.kindOf(body),
      latency: this.statistics.latency,
      closed: this.#closed.signal,
    });
  }

  /** Aborts all requests in flight and closes the connections. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.transport.close();
  }

  /** What the service says about a model. */
  async describe(model: string, signal?: AbortSignal): Promise<Description> {
    const { protocol } = this;
    const question = protocol.describe?.(model);
    if (question !== undefined) return this.ask(question, signal, model);
    const { request, namesModel } = protocol.ready?.(model) ?? {};
    if (request !== undefined)
      await this.ask({ request, read: () => {} }, signal, model).catch(error => {
        if (namesModel || !isNoAnswer(error)) throw error;
      });
    const { predictionType } = protocol;
    return predictionType === undefined ? {} : { predictionType };
  }

  /** See `ModelReadiness`. */
  isReady(model: string, signal?: AbortSignal): Promise<boolean> {
    return this.#readiness.isReady(model, signal);
  }

  /**
   * The answer to a question that is not about a batch.
   *
   * @param model the question is about it, so it is waited for
   */
  async ask<T>({ request, read }: Asked<T>, signal?: AbortSignal, model?: string): Promise<T> {
    const attempt = (): Promise<T> =>
      this.#requests.send({ ...request, signal }, body => read(body, this.#credentials.secrets));
    return this.retried(() => this.#readiness.whenReady(attempt, model, signal), false, signal);
  }

  /**
   * The validated predictions of a batch.
   *
   * @param signal aborts the request
   */
  async predict(batch: SentBatch, signal?: AbortSignal): Promise<ReceivedPredictions> {
    return this.retried(() => this.tryBatch(batch, signal), batch.expected.personas > 1, signal);
  }

  /** Sends a batch once; a failure is not retried. */
  async tryBatch(
    { request, reader, expected, model }: SentBatch,
    signal?: AbortSignal,
  ): Promise<ReceivedPredictions> {
    const { personas } = expected;
    const classes = expectedClasses(expected);
    const send = (): Promise<ReceivedPredictions> =>
      this.#requests.send(
        { ...request, personas, signal, maxResponseBytes: maxResponseBytes(personas, classes) },
        (response, origin) => {
          const read = reader.read(response, { ...expected, secrets: this.#credentials.secrets });
          return origin === undefined ? read : { ...read, origins: [origin.id] };
        },
      );
    return this.#readiness.whenReady(send, model, signal);
  }

  /**
   * Repeats a request that may succeed later.
   *
   * @param canSplit whether it has several personas
   * @throws CallError the last failure
   */
  async retried<T>(attempt: () => Promise<T>, canSplit = false, signal?: AbortSignal): Promise<T> {
    return withRetries(attempt, this.retryPolicy, canSplit, signal ?? this.#closed.signal);
  }
}

/** A batch as it is sent, and how its response is read. */
export interface SentBatch {
  /** The whole request, including its body. */
  request: HttpRequest;
  reader: ResponseReader;
  expected: Expected;
  /** The model that it is for, which is waited for if it is not ready. */
  model?: string;
}

/** A question about something else than a batch. */
interface Asked<T> {
  request: WholeRequest;
  /** @param secrets text from the service that contains one of them is not shown */
  read(body: Buffer, secrets: Secrets): T;
}

export interface ServiceClientOptions<P extends Protocol = Protocol> {
  /** Base URL, from `readBaseUrl`. */
  url: URL;
  /** Not needed if none is sent. */
  key?: string | Key | undefined;
  /** Where the key is from, for messages. */
  keyFrom?: string | undefined;
  /** How the key is sent; by default, as the protocol has it. */
  auth?: Auth | undefined;
  /** More headers, whose values are secret. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Certificates, checked by `checkTls`. */
  tls?: ClientTls | undefined;
  proxy?: HttpProxy | undefined;
  /** Name of the service in messages: `local`, or its URL. */
  name: string;
  protocol: P;
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
  /** The pace of other processes of the same run. */
  sharedPace?: SharedPace | undefined;
  /** Called before each wait for a retry; `wait` is in milliseconds. */
  onRetry?: ((failure: CallError, wait: number) => void) | undefined;
  /** Makes each request a part of a trace. */
  trace?: TraceRequest | undefined;
  /** What is done about failed requests. */
  failureTable?: FailureTable;
}
