import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FailureRule } from './failure-rule.ts';

/** A service without a success for this long was down, not just busy. */
const MIN_DOWN_MS = 2_000;
/** Requests that waited for the service are spread over this time when it recovers. */
const MAX_JITTER_MS = 1_000;

/** Requests that finished, and those of them that succeeded. */
export interface RequestCounts {
  all: number;
  succeeded: number;
}

/**
 * Availability of a service, over all requests. Times are from `performance.now()`, which clock changes do not affect.
 */
export class ServiceAvailability {
  readonly #finished: RequestCounts = { all: 0, succeeded: 0 };
  #downSince: number | undefined;
  #stalledSince: number | undefined;
  #upSince = Number.NEGATIVE_INFINITY;
  readonly #events = new EventEmitter<{ recovered: []; succeeded: [] }>().setMaxListeners(0);

  /** Requests that finished so far. */
  get finished(): RequestCounts {
    return { ...this.#finished };
  }

  /** @param isProbe whether the response is not needed: it shows that the service is up, but makes no progress */
  succeeded(now: number, isProbe = false): void {
    this.#finished.all++;
    this.#finished.succeeded++;
    const wasDown = this.#downSince !== undefined && now - this.#downSince > MIN_DOWN_MS;
    this.#downSince = undefined;
    if (!isProbe) this.#stalledSince = undefined;
    this.#events.emit('succeeded');
    if (!wasDown) return;
    this.#upSince = now;
    this.#events.emit('recovered');
  }

  /** A request failed, which may say something about the service. */
  failed(service: FailureRule['service'], now: number): void {
    this.#finished.all++;
    if (service === 'up') this.markUp();
    if (service !== 'down') return;
    this.#downSince ??= now;
    this.#stalledSince ??= now;
  }

  /** The service is up: what fails is due to the rows. */
  markUp(): void {
    this.#downSince = undefined;
    this.#stalledSince = undefined;
  }

  /** Seconds since the first failure after the last success. */
  downFor(now: number): number {
    return secondsSince(this.#downSince, now);
  }

  /** Seconds since the first failure after the last success of a request other than a probe. */
  stalledFor(now: number): number {
    return secondsSince(this.#stalledSince, now);
  }

  /** Seconds since a point in time, or since the end of the last outage if that was later. */
  upFor(since: number, now: number): number {
    return (now - Math.max(since, this.#upSince)) / 1000;
  }

  /**
   * Waits for the given milliseconds, or less if the service recovers from an outage.
   *
   * @param isUp asked after each success; the wait also ends if it returns true
   */
  async wait(ms: number, signal: AbortSignal, isUp: () => boolean = () => false): Promise<void> {
    const over = new AbortController();
    const end = (): void => over.abort();
    signal.addEventListener('abort', end);
    const shown = new Promise<void>(resolve => {
      this.#events.on('succeeded', onSuccess);
      function onSuccess(): void {
        if (isUp()) resolve();
      }
      over.signal.addEventListener('abort', () => this.#events.off('succeeded', onSuccess));
    });
    try {
      await Promise.race([
        sleep(ms, undefined, { signal: over.signal }),
        once(this.#events, 'recovered', { signal: over.signal }).then(() =>
          sleep(Math.random() * Math.min(ms, MAX_JITTER_MS), undefined, { signal }),
        ),
        shown,
      ]);
    } finally {
      signal.removeEventListener('abort', end);
      over.abort();
    }
  }
}

const secondsSince = (since: number | undefined, now: number): number =>
  since === undefined ? 0 : (now - since) / 1000;
