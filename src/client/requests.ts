import { setImmediate } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import { type CallStatistics, recordLatency } from '../base/contract/call-statistics.ts';
import { unlessStopped } from '../base/interrupted.ts';
import { RequestAttempts, type RetryPolicy } from '../scoring/failures/attempts.ts';
import { CallError } from '../scoring/failures/call-error.ts';
import type { TraceRequest } from '../scoring/scorer.ts';
import type { Pacer, Slot } from './pacing/pacer.ts';
import { InvalidResponse } from './parse-response.ts';
import type { Protocol } from './protocols/protocol.ts';
import type { Origin } from './transport/connection.ts';
import { startDeadline } from './transport/deadline.ts';
import type { Transport } from './transport/http.ts';
import type { HttpRequest } from './transport/http-request.ts';
import { MAX_RESPONSE_BYTES, readBody } from './transport/response-body.ts';

/** A request whose response is read as a whole. */
export interface WholeRequest extends HttpRequest {
  /** Number of personas in the body. */
  personas?: number;
  signal?: AbortSignal | undefined;
  /** Larger responses are rejected. */
  maxResponseBytes?: number;
}

export type ReadBody<T> = (body: Buffer, origin: Origin | undefined) => T;

/** What requests to one service share. */
export interface RequestsOptions {
  transport: Transport;
  pacer: Pacer;
  statistics: CallStatistics;
  /** Aborts requests that have no signal of their own. */
  closed: AbortSignal;
  /** The requests of all runs of this client, which are never more together than the pace allows. */
  shared?: Requests | undefined;
  /** Makes each request a part of a trace. */
  trace?: TraceRequest | undefined;
}

/**
 * Sends each request once, when the pacer grants a slot, and reads its response. One that was refused because its key
 * has expired is sent again, if there is another key.
 */
export class Requests {
  readonly #options: RequestsOptions;
  #forRuns: LimitFunction | undefined;

  constructor(options: RequestsOptions) {
    this.#options = options;
  }

  /**
   * @param read validates the body
   * @throws CallError
   */
  async send<T>(request: WholeRequest, read: ReadBody<T>): Promise<T> {
    const { shared } = this.#options;
    return shared === undefined ? this.#send(request, read) : shared.#limit(() => this.#send(request, read));
  }

  /** A run limits its own requests, but knows nothing of those of other runs. */
  #limit<T>(send: () => Promise<T>): Promise<T> {
    const { concurrency } = this.#options.pacer;
    this.#forRuns ??= pLimit(concurrency);
    this.#forRuns.concurrency = concurrency;
    return this.#forRuns(send);
  }

  async #send<T>(request: WholeRequest, read: ReadBody<T>): Promise<T> {
    const { transport, closed } = this.#options;
    const { credentials } = transport;
    for (;;) {
      const { key } = credentials;
      try {
        return await this.#sendOnce(request, read);
      } catch (error) {
        if (!(error instanceof CallError) || !error.refusesKey) throw error;
        // It ends: a key that was refused is not looked up again once it was sent again.
        const isReplaced = unlessStopped(credentials.isReplaced(key), request.signal ?? closed);
        if (!(await isReplaced.catch(() => false))) throw error;
      }
    }
  }

  async #sendOnce<T>(request: WholeRequest, read: ReadBody<T>): Promise<T> {
    const { transport, pacer, closed, trace } = this.#options;
    const slot = await pacer.acquire(request.personas ?? 0, request.signal ?? closed);
    if (trace === undefined) return this.#exchange(request, slot, read);
    const { method, path, template = path, body } = request;
    const identity = typeof body === 'object' ? body : request;
    const traced = { method, url: transport.urlOf(request), template, identity };
    return trace(traced, headers =>
      this.#exchange({ ...request, headers: { ...request.headers, ...headers } }, slot, read),
    );
  }

  async #exchange<T>(request: WholeRequest, slot: Slot, read: ReadBody<T>): Promise<T> {
    const { transport, statistics } = this.#options;
    const { failures } = transport;
    const location = transport.locationOf(request);
    const { signal, maxResponseBytes: limit = MAX_RESPONSE_BYTES } = request;
    const deadline = startDeadline(transport.timeout, signal);
    let body: Buffer | undefined;
    let origin: Origin | undefined;
    statistics.calls++;
    statistics.inFlight++;
    try {
      const response = await transport.open(request, deadline.signal, slot.onHeaders);
      body = await readBody(response.body, limit);
      origin = response.origin;
      // Surplus bytes that arrived together with the end of the response have been read after this.
      if (origin !== undefined) await setImmediate();
    } catch (cause) {
      throw transport.failure(cause, location);
    } finally {
      statistics.inFlight--;
      slot.release(body !== undefined);
      deadline.release();
    }
    if (body === undefined) throw failures.tooLarge(limit, { location });
    recordLatency(statistics, slot.sentAt);
    if (origin?.isSuspect) throw failures.ofUnusable('surplus_bytes', { location });
    try {
      return read(body, origin);
    } catch (cause) {
      if (!(cause instanceof InvalidResponse)) throw cause;
      throw failures.ofInvalidResponse(cause, body.toString('utf8'), { location });
    }
  }
}

/**
 * Repeats a request until it succeeds or has failed for good.
 *
 * @param canSplit whether the request contains several personas
 * @param signal aborts the request and its retries
 * @throws CallError the last failure
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  policy: RetryPolicy,
  canSplit: boolean,
  signal: AbortSignal,
): Promise<T> {
  const attempts = new RequestAttempts(policy);
  for (;;) {
    try {
      const outcome = await attempt();
      attempts.succeeded();
      return outcome;
    } catch (failure) {
      if (!(failure instanceof CallError) || signal.aborted) throw failure;
      const decision = attempts.failed(failure.toFailure(), {
        canSplit,
        mayBeAllInvalid: false,
        isPart: false,
      });
      if (decision.action !== 'retry' && decision.action !== 'probe') throw attempts.ended(failure, decision);
      await attempts.wait(failure, decision, signal);
    }
  }
}

/** The status of a service that does not know a path. */
const NO_SUCH_PATH = 404;

/**
 * Statuses of requests for a model that is not loaded: Triton and MLServer have 400, KServe and TensorFlow Serving 404.
 */
const NOT_YET: readonly (number | undefined)[] = [400, NO_SUCH_PATH];

/** Asks a service whether its models are ready. */
export class ModelReadiness {
  readonly #protocol: Pick<Protocol, 'ready'>;
  readonly #requests: Pick<Requests, 'send'>;

  constructor(protocol: Pick<Protocol, 'ready'>, requests: Pick<Requests, 'send'>) {
    this.#protocol = protocol;
    this.#requests = requests;
  }

  /** Asks once, without a retry. True if the protocol has no such question, or the service does not answer it. */
  async isReady(model: string, signal?: AbortSignal): Promise<boolean> {
    const question = this.#protocol.ready?.(model);
    if (question === undefined) return true;
    return this.#requests
      .send({ ...question.request, signal }, saysReady)
      .catch(error => (isNoAnswer(error) ? !question.namesModel : isRefusal(error)));
  }

  /**
   * Sends a request for a model. While the model is not loaded, services respond with 400 or 404, as they do to what
   * they will never accept, so they are then asked whether it is ready. If not, the failure is temporary.
   *
   * @param model undefined if the request is not about one
   * @throws CallError
   */
  async whenReady<T>(send: () => Promise<T>, model: string | undefined, signal?: AbortSignal): Promise<T> {
    try {
      return await send();
    } catch (error) {
      const mayBeEarly = error instanceof CallError && NOT_YET.includes(error.status);
      if (!mayBeEarly || model === undefined || this.#protocol.ready?.(model) === undefined) throw error;
      if (await this.isReady(model, signal)) {
        // It may have been loaded between the two requests. Rows that were refused are sent again anyway.
        if (error.status === NO_SUCH_PATH) return send();
        throw error;
      }
      throw new CallError('unavailable', 'model_not_ready', `${error.message}; the model is not ready`, {
        location: error.location,
        hint: 'Check the name of the report, and whether the model is loaded.',
      });
    }
  }
}

/** Whether a service does not know the path at which it was asked whether it is ready: it may be ready all the same. */
export const isNoAnswer = (error: unknown): boolean =>
  error instanceof CallError && error.status === NO_SUCH_PATH;

/** A proxy may allow requests for predictions only, with 403 or 405 for others. */
const isRefusal = (error: unknown): boolean => error instanceof CallError && error.kind === 'fatal';

/** KServe responds with 200 and `{"name":"churn","ready":false}` while a model is loading. */
const saysReady = (body: Buffer): boolean => !/"ready"\s*:\s*(?:false|"False")/.test(body.toString());
