import { KeyQueue } from './key-queue.ts';

/** How long slices start without waiting within one turn of the event loop. */
const LOOP_MS = 10;

/**
 * Shares the service's main thread between keys, slice by slice. When there is more work than fits into one turn of
 * the event loop, keys take turns, one slice per turn of the loop, so that a key with a thousand requests delays another
 * key's request by only one slice. Otherwise nothing waits, because waiting costs 10% more CPU time.
 */
export class Turns {
  readonly #now: () => number;
  readonly #waiting = new KeyQueue();
  /** Until when slices start without waiting in this turn of the event loop; undefined before the first one. */
  #end: number | undefined;

  /** @param now a monotonic clock, in milliseconds */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Waits for the key's next turn. */
  next(key: string): Promise<void> {
    if (this.#waiting.isEmpty && this.#hasTime()) return Promise.resolve();
    return new Promise(resolve => {
      // If somebody is waiting, the next turn is already scheduled.
      if (this.#waiting.isEmpty) this.#schedule();
      this.#waiting.add(key, resolve);
    });
  }

  #hasTime(): boolean {
    const now = this.#now();
    if (this.#end === undefined) {
      this.#end = now + LOOP_MS;
      setImmediate(() => {
        this.#end = undefined;
      });
    }
    return now < this.#end;
  }

  #schedule(): void {
    setImmediate(() => {
      const begin = this.#waiting.take();
      if (!this.#waiting.isEmpty) this.#schedule();
      begin?.();
    });
  }
}
