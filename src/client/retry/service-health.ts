import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FailureKind } from '../failures.ts';

/** A service that answered nothing for this long was gone, not just busy. */
const GONE_MS = 2_000;
/** Calls that waited for a service to come back do not all go at once. */
const SPREAD_MS = 1_000;

/** Requests that finished, and those of them that succeeded. */
export interface Finished {
  all: number;
  succeeded: number;
}

/** How a service does, over all requests. Times are `performance.now()`, which no change of the clock moves. */
export class Health {
  readonly #finished: Finished = { all: 0, succeeded: 0 };
  #goneSince: number | undefined;
  #stalledSince: number | undefined;
  #wellSince = Number.NEGATIVE_INFINITY;
  readonly #events = new EventEmitter<{ back: [] }>().setMaxListeners(0);

  /** Requests that finished so far. */
  get finished(): Finished {
    return { ...this.#finished };
  }

  /** @param isProbe whether its response is not needed: it shows that the service is there, and gets nothing done */
  succeeded(now: number, isProbe = false): void {
    this.#finished.all++;
    this.#finished.succeeded++;
    const wasGone = this.#goneSince !== undefined && now - this.#goneSince > GONE_MS;
    this.#goneSince = undefined;
    if (!isProbe) this.#stalledSince = undefined;
    if (!wasGone) return;
    this.#wellSince = now;
    this.#events.emit('back');
  }

  /** A request failed. */
  failed(kind: FailureKind, now: number): void {
    this.#finished.all++;
    if (kind === 'refusal') this.answered();
    if (kind !== 'outage' && kind !== 'busy' && kind !== 'fault') return;
    this.#goneSince ??= now;
    this.#stalledSince ??= now;
  }

  /** The service is there: a request failed for its own fault. */
  answered(): void {
    this.#goneSince = undefined;
    this.#stalledSince = undefined;
  }

  /** Seconds since the first failure after which nothing succeeded. */
  goneFor(now: number): number {
    return secondsSince(this.#goneSince, now);
  }

  /** Seconds since the first failure after which nothing but probes succeeded. */
  stalledFor(now: number): number {
    return secondsSince(this.#stalledSince, now);
  }

  /** Seconds since a moment, as far as the service was not gone for a while. */
  wellFor(since: number, now: number): number {
    return (now - Math.max(since, this.#wellSince)) / 1000;
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
          sleep(Math.random() * Math.min(ms, SPREAD_MS), undefined, { signal }),
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
