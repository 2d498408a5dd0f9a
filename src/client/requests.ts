import { setImmediate } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import { type CallStatistics, recordLatency } from '../base/contract/call-statistics.ts';
import { unlessStopped } from '../base/interrupted.ts';
import { CallError } from '../scoring/failures/call-error.ts';
import type { TraceRequest } from '../scoring/trace.ts';
import { InvalidResponse } from './invalid-response.ts';
import type { Pacer, Slot } from './pacing/pacer.ts';
import { startDeadline } from './transport/deadline.ts';
import type { Transport } from './transport/http.ts';
import type { HttpRequest } from './transport/http-request.ts';
import { MAX_RESPONSE_BYTES, readBody } from './transport/response-body.ts';
import type { Origin } from './transport/response-origin.ts';

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
 * Sends each request once, when the pacer grants a slot, and reads its response. One that was refused because its key has
 * expired is sent again, if there is another key.
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
    if (origin?.isSuspect) throw failures.surplusBytes({ location });
    try {
      return read(body, origin);
    } catch (cause) {
      if (!(cause instanceof InvalidResponse)) throw cause;
      throw failures.ofInvalidResponse(cause, body.toString('utf8'), { location });
    }
  }
}
