import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** A service that answered nothing for this long was gone, not just busy. */
const GONE_MS = 2_000;
/** Calls that waited for a service to come back do not all go at once. */
const SPREAD_MS = 1_000;

/** How a service does, over all calls. Times are `performance.now()`, which no change of the clock moves. */
export class Health {
  /** Calls that succeeded. */
  successes = 0;
  #goneSince: number | undefined;
  readonly #events = new EventEmitter<{ back: [] }>().setMaxListeners(0);

  succeeded(now: number): void {
    this.successes++;
    const wasGone = this.#goneSince !== undefined && now - this.#goneSince > GONE_MS;
    this.#goneSince = undefined;
    if (wasGone) this.#events.emit('back');
  }

  /** A call was refused for its own fault: the service is there. */
  refused(): void {
    this.#goneSince = undefined;
  }

  /** A call has failed for the service's fault. */
  failed(now: number): void {
    this.#goneSince ??= now;
  }

  /** Seconds since the first failure after which nothing succeeded. */
  goneFor(now: number): number {
    return this.#goneSince === undefined ? 0 : (now - this.#goneSince) / 1000;
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
