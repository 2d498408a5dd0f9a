/** How long slices start without waiting within one turn of the event loop. */
const LOOP_MS = 10;

/**
 * Shares the service's single thread between keys, slice by slice. When there is more work than fits into one turn of
 * the event loop, keys take turns (round-robin), one slice per turn of the loop, so that a key with a thousand requests
 * delays another key's request by only one slice. Otherwise nothing waits, because waiting costs 10% more CPU time.
 */
export class Turns {
  readonly #now: () => number;
  /** Waiting slices by key; the first key is next. */
  readonly #waiting = new Map<string, (() => void)[]>();
  /** Until when slices start without waiting in this turn of the event loop; undefined before the first one. */
  #end: number | undefined;

  /** @param now a monotonic clock, in milliseconds */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Waits for the key's next turn. */
  next(key: string): Promise<void> {
    if (this.#waiting.size === 0 && this.#hasTime()) return Promise.resolve();
    return new Promise(resolve => {
      const others = this.#waiting.get(key);
      if (others === undefined) this.#waiting.set(key, [resolve]);
      else others.push(resolve);
      // Otherwise it is already scheduled.
      if (others === undefined && this.#waiting.size === 1) this.#schedule();
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
      for (const [key, [begin, ...others]] of this.#waiting) {
        // Moves the key to the end of the queue.
        this.#waiting.delete(key);
        if (others.length > 0) this.#waiting.set(key, others);
        if (this.#waiting.size > 0) this.#schedule();
        begin?.();
        return;
      }
    });
  }
}
