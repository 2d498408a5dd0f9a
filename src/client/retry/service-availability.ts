import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FailureKind } from '../failures.ts';

/** A service that answered nothing for this long was gone, not just busy. */
const MIN_DOWN_MS = 2_000;
/** Calls that waited for a service to come back do not all go at once. */
const MAX_JITTER_MS = 1_000;

/** Requests that finished, and those of them that succeeded. */
export interface RequestCounts {
  all: number;
  succeeded: number;
}

/** How a service does, over all requests. Times are `performance.now()`, which no change of the clock moves. */
export class ServiceAvailability {
  readonly #finished: RequestCounts = { all: 0, succeeded: 0 };
  #downSince: number | undefined;
  #stalledSince: number | undefined;
  #upSince = Number.NEGATIVE_INFINITY;
  readonly #events = new EventEmitter<{ back: [] }>().setMaxListeners(0);

  /** Requests that finished so far. */
  get finished(): RequestCounts {
    return { ...this.#finished };
  }

  /** @param isProbe whether its response is not needed: it shows that the service is there, and gets nothing done */
  succeeded(now: number, isProbe = false): void {
    this.#finished.all++;
    this.#finished.succeeded++;
    const wasGone = this.#downSince !== undefined && now - this.#downSince > MIN_DOWN_MS;
    this.#downSince = undefined;
    if (!isProbe) this.#stalledSince = undefined;
    if (!wasGone) return;
    this.#upSince = now;
    this.#events.emit('back');
  }

  /** A request failed. */
  failed(kind: FailureKind, now: number): void {
    this.#finished.all++;
    if (kind === 'rejected_request') this.markUp();
    if (kind !== 'unavailable' && kind !== 'busy' && kind !== 'server_error') return;
    this.#downSince ??= now;
    this.#stalledSince ??= now;
  }

  /** The service is there: a request failed for its own fault. */
  markUp(): void {
    this.#downSince = undefined;
    this.#stalledSince = undefined;
  }

  /** Seconds since the first failure after which nothing succeeded. */
  downFor(now: number): number {
    return secondsSince(this.#downSince, now);
  }

  /** Seconds since the first failure after which nothing but probes succeeded. */
  stalledFor(now: number): number {
    return secondsSince(this.#stalledSince, now);
  }

  /** Seconds since a moment, as far as the service was not gone for a while. */
  upFor(since: number, now: number): number {
    return (now - Math.max(since, this.#upSince)) / 1000;
  }

  /** Waits so many milliseconds, or less when a service that was gone comes back. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const end = (): void => over.abort();
    signal.addEventListener('abort', end);
    try {
      await Promise.race([
        sleep(ms, undefined, { signal: over.signal }),
        once(this.#events, 'back', { signal: over.signal }).then(() =>
          sleep(Math.random() * Math.min(ms, MAX_JITTER_MS), undefined, { signal }),
        ),
      ]);
    } finally {
      signal.removeEventListener('abort', end);
      over.abort();
    }
  }
}

const secondsSince = (since: number | undefined, now: number): number =>
  since === undefined ? 0 : (now - since) / 1000;
