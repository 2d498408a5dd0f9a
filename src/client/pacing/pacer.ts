import { setTimeout as sleep } from 'node:timers/promises';
import { AdaptiveConcurrency } from './adaptive-concurrency.ts';
import { AdaptiveRate } from './adaptive-rate.ts';
import { evenRate, type Headers, readQuota } from './rate-limit-headers.ts';

export interface PacerOptions {
  /** Most calls at once. */
  concurrency: number;
  /** Most calls a second. */
  maxRequests?: number | undefined;
  /** Most rows a second. */
  maxRows?: number | undefined;
  /** Longest wait in seconds for a quota to start anew; a call is then tried. */
  maxOutage: number;
}

/** A call that has had its turn. */
export interface Slot {
  /** When it was sent, by `performance.now()`. */
  readonly sentAt: number;
  /** The service has answered with a status and headers. */
  onHeaders(status: number, headers: Headers): void;
  /** The call is over; `isWhole` when a batch's whole answer has come. */
  release(isWhole: boolean): void;
}

/** Timers are coarse: calls that go late may make up for so much. */
const MAX_CATCH_UP_MS = 20;
/** A quota that is spread leaves no more between two calls, or the patience where that is longer: it may be misread. */
const MAX_GAP_SECONDS = 60;
/** When no call was wanted for this long, that is no part of the time in which the service took some. */
const IDLE_MS = 1_000;
/** Who waits for a turn looks again after this long: the rate may have risen. */
const MAX_SLEEP_MS = 500;

/**
 * The pace of calls, which the service sets: how many run at once (`concurrency`), and when the next one may go
 * (`turn`). The rate is the least of what was asked for, of what the service's headers tell, and of what its
 * refusals have taught.
 */
export class Pacer {
  readonly #options: PacerOptions;
  readonly #concurrency: AdaptiveConcurrency;
  /** Of calls that hold personas, from the first one on: that a report was told says nothing of their rate. */
  #adaptiveRate: AdaptiveRate | undefined;
  /** Calls a second by the service's headers, until its quota starts anew. */
  #advertised = { rate: Number.POSITIVE_INFINITY, until: Number.POSITIVE_INFINITY };
  /** Seconds of the service's windows, as told or seen. */
  #window = 0;
  #inFlight = 0;
  /** Calls that wait for their turn or are under way. */
  #wanted = 0;
  #idleSince = 0;
  /** Whether the last answer was a refusal: its call will be made again, and waits elsewhere. */
  #isThrottled = false;
  #pausedUntil = 0;
  /** When the last call went, or should have gone. */
  #lastCall = 0;
  /** When the next rows may go. */
  #nextRows = 0;
  /** Turns are had in the order in which they were asked for. */
  #lastSlot: Promise<unknown> = Promise.resolve();

  constructor(options: PacerOptions) {
    this.#options = options;
    this.#concurrency = new AdaptiveConcurrency(options.concurrency);
  }

  /** Calls that may run at once. */
  get concurrency(): number {
    return this.#concurrency.current;
  }

  /** The service asked to be left alone for so many milliseconds. */
  pause(ms: number): void {
    const now = performance.now();
    const from = Math.max(this.#pausedUntil, now);
    this.#pausedUntil = Math.max(from, now + ms);
    this.#adaptiveRate?.ignoreIdle(this.#pausedUntil - from);
  }

  /**
   * Waits until a call may be sent.
   *
   * @param rows personas that it holds
   * @throws AbortError when the signal is aborted
   */
  async acquire(rows: number, signal: AbortSignal): Promise<Slot> {
    this.#onWanted(performance.now());
    const turn = this.#lastSlot.then(() => this.#wait(rows, signal));
    this.#lastSlot = turn.catch(() => this.#onDone());
    const sentAt = await turn;
    if (rows > 0) this.#adaptiveRate ??= new AdaptiveRate(sentAt);
    const call = { sentAt };
    this.#concurrency.begun(call);
    this.#inFlight++;
    return {
      sentAt,
      onHeaders: (status, headers) => this.#onHeaders(sentAt, rows, status, headers),
      release: isWhole => {
        this.#inFlight--;
        this.#onDone();
        this.#concurrency.ended(call, performance.now(), isWhole && rows > 0);
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

  /** The generic cell rate algorithm (ITU-T I.371), at a rate that changes. */
  async #wait(rows: number, signal: AbortSignal): Promise<number> {
    const { maxRows = Number.POSITIVE_INFINITY } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      const now = performance.now();
      const nextCall = this.#lastCall + 1000 / this.#rateAt(now);
      const wait = Math.max(this.#pausedUntil, nextCall, this.#nextRows) - now;
      if (wait <= 0) {
        this.#lastCall = Math.max(nextCall, now - MAX_CATCH_UP_MS);
        this.#nextRows = Math.max(this.#nextRows, now - MAX_CATCH_UP_MS) + (1000 * rows) / maxRows;
        return now;
      }
      await sleep(Math.min(MAX_SLEEP_MS, Math.ceil(wait)), undefined, { signal });
    }
  }

  /** Calls a second. */
  #rateAt(now: number): number {
    const { maxRequests = Number.POSITIVE_INFINITY } = this.#options;
    const told = now < this.#advertised.until ? this.#advertised.rate : Number.POSITIVE_INFINITY;
    const learned = this.#adaptiveRate?.at(now) ?? Number.POSITIVE_INFINITY;
    return Math.min(maxRequests, told, learned);
  }

  #onHeaders(sentAt: number, rows: number, status: number, headers: Headers): void {
    const now = performance.now();
    this.#isThrottled = status === 429;
    if (rows > 0 && status === 429) this.#adaptiveRate?.throttled(sentAt, now);
    else if (rows > 0) this.#adaptiveRate?.accepted(sentAt, now);
    const quota = readQuota(headers, Date.now());
    if (quota === undefined) return;
    this.#window = quota.window ?? Math.max(this.#window, quota.reset);
    const { maxOutage: patience } = this.#options;
    const longest = Math.max(MAX_GAP_SECONDS, patience);
    const even = evenRate(quota, this.#window, this.#inFlight - 1, longest);
    if (even === undefined) return;
    const seconds = Math.min(even.seconds, even.rate === 0 ? patience : even.seconds);
    this.#advertised = { rate: even.rate, until: now + seconds * 1000 };
  }
}
