import { setTimeout as sleep } from 'node:timers/promises';
import {
  alone,
  CellRate,
  type Learned,
  type SharedLimits,
  type SharedPace,
} from '../../base/contract/shared-pace.ts';
import { AdaptiveConcurrency } from './adaptive-concurrency.ts';
import { AdaptiveRate } from './adaptive-rate.ts';
import { AdvertisedRate, type Headers } from './rate-limit-headers.ts';

export interface PacerOptions {
  /** Maximum number of requests in flight. */
  concurrency: number;
  /** Maximum requests per second. */
  maxRequests?: number | undefined;
  /** Maximum rows per second. */
  maxRows?: number | undefined;
  /** Longest time in seconds to wait for a quota to be reset; then a request is sent anyway. */
  maxOutage: number;
  /** The pace of other processes that use the same service for the same run. */
  shared?: SharedPace | undefined;
}

/** Permission to send one request. */
export interface Slot {
  /** Time of sending, from `performance.now()`. */
  readonly sentAt: number;
  /** Must be called with the status and headers of the response. */
  onHeaders(status: number, headers: Headers): void;
  /** Must be called when the request ends. `isComplete`: a complete response was received. */
  release(isComplete: boolean): void;
}

/** Idle time beyond this does not count when the accepted rate is measured. */
const IDLE_MS = 1_000;
/** Waiting requests check again after this long, because the rate may have increased. */
const MAX_SLEEP_MS = 500;

/**
 * Paces requests to what the service accepts: how many are in flight (`concurrency`) and when the next one may be sent
 * (`acquire`). The rate is the minimum of the configured limits, the limits advertised in the service's headers, and
 * the rate learned from 429 responses. Processes that share a pace each have a part of it.
 */
export class Pacer {
  readonly #options: PacerOptions;
  readonly #concurrency: AdaptiveConcurrency;
  /** Learned from requests with personas only: reading a report says nothing about their rate. */
  #adaptiveRate: AdaptiveRate | undefined;
  readonly #advertised = new AdvertisedRate();
  #inFlight = 0;
  /** Requests that are waiting for a slot or in flight. */
  #wanted = 0;
  #idleSince = 0;
  /** Whether the last response was a 429: its request is waiting for a retry, so we are not idle. */
  #isThrottled = false;
  #pausedUntil = 0;
  readonly #calls = new CellRate();
  readonly #rows = new CellRate();
  /** Slots are granted in the order in which they were requested. */
  #lastSlot: Promise<unknown> = Promise.resolve();

  constructor(options: PacerOptions) {
    this.#options = options;
    this.#concurrency = new AdaptiveConcurrency(options.concurrency);
    options.shared?.tell(now => this.#learned(now));
  }

  /** Current limit on requests in flight. */
  get concurrency(): number {
    return this.#concurrency.current;
  }

  /** Sends nothing for this many milliseconds, because the service asked for it. */
  pause(ms: number): void {
    const now = performance.now();
    const from = Math.max(this.#pausedUntil, now);
    this.#pausedUntil = Math.max(from, now + ms);
    this.#adaptiveRate?.ignoreIdle(this.#pausedUntil - from);
  }

  /**
   * Waits until a request may be sent.
   *
   * @param rows number of personas in it
   * @throws AbortError when the signal is aborted
   */
  async acquire(rows: number, signal: AbortSignal): Promise<Slot> {
    this.#onWanted(performance.now());
    const slot = this.#lastSlot.then(() => this.#wait(rows, signal));
    this.#lastSlot = slot.catch(() => this.#onDone());
    const sentAt = await slot;
    if (rows > 0) this.#adaptiveRate ??= new AdaptiveRate(sentAt);
    const call = { sentAt };
    this.#concurrency.begun(call);
    this.#inFlight++;
    return {
      sentAt,
      onHeaders: (status, headers) => this.#onHeaders(sentAt, rows, status, headers),
      release: isComplete => {
        this.#inFlight--;
        this.#onDone();
        this.#concurrency.ended(call, performance.now(), isComplete && rows > 0);
      },
    };
  }

  #onWanted(now: number): void {
    const isIdle = this.#wanted++ === 0 && !this.#isThrottled && now - this.#idleSince > IDLE_MS;
    if (isIdle) this.#adaptiveRate?.ignoreIdle(now - this.#idleSince);
  }

  #onDone(): void {
    if (--this.#wanted === 0) this.#idleSince = performance.now();
  }

  async #wait(rows: number, signal: AbortSignal): Promise<number> {
    for (;;) {
      signal.throwIfAborted();
      const now = performance.now();
      const limits = this.#options.shared?.limits(now) ?? alone;
      const next = this.#nextAt(now, limits);
      const wait = Math.max(this.#pausedUntil, limits.pausedUntil, next.call, next.rows) - now;
      if (wait <= 0) {
        this.#calls.sent(1, next.call, now);
        if (rows > 0) this.#rows.sent(rows, next.rows, now);
        return now;
      }
      await sleep(Math.min(MAX_SLEEP_MS, Math.ceil(wait)), undefined, { signal });
    }
  }

  /** When the next request and the next rows may be sent. */
  #nextAt(now: number, limits: SharedLimits): { call: number; rows: number } {
    const { shared, ...own } = this.#options;
    // With a shared pace, `limits` contains the given limits already.
    const { maxRequests = Number.POSITIVE_INFINITY, maxRows = Number.POSITIVE_INFINITY } = shared ? {} : own;
    const { share } = limits;
    const limitOf = (...limits: number[]): number => (share === 0 ? 0 : Math.min(...limits) * share);
    const advertised = this.#advertised.at(now)?.rate ?? limits.advertised;
    const learned = this.#adaptiveRate?.at(now) ?? Number.POSITIVE_INFINITY;
    return {
      call: this.#calls.nextAt(limitOf(maxRequests, limits.requests, advertised, learned)),
      rows: this.#rows.nextAt(limitOf(maxRows, limits.rows)),
    };
  }

  #learned(now: number): Learned {
    return {
      rate: this.#adaptiveRate?.learned(now) ?? null,
      advertised: this.#advertised.at(now) ?? null,
      pause: Math.max(0, this.#pausedUntil - now),
      accepted: this.#adaptiveRate?.acceptedAt(now) ?? 0,
    };
  }

  #onHeaders(sentAt: number, rows: number, status: number, headers: Headers): void {
    const now = performance.now();
    this.#isThrottled = status === 429;
    if (rows > 0 && status === 429)
      this.#adaptiveRate?.throttled(sentAt, now, this.#options.shared?.limits(now));
    else if (rows > 0) this.#adaptiveRate?.accepted(sentAt, now);
    this.#advertised.update(headers, {
      now,
      inFlight: this.#inFlight - 1,
      maxOutage: this.#options.maxOutage,
    });
  }
}
