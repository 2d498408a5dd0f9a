/** How long slices are begun as they come in one turn of the event loop, before they have to wait. */
const LOOP_MS = 10;

/**
 * The service's one thread, slice by slice: where there is more work than one turn of the event loop should take, the
 * keys that have some take turns, one slice per turn of the loop, so that a key with a thousand calls holds up another's
 * call by one slice of its own. Otherwise nothing waits, because that costs a
 * tenth more CPU time.
 */
export class Turns {
  readonly #now: () => number;
  /** Who waits, in order; the key that comes first is next. */
  readonly #waiting = new Map<string, (() => void)[]>();
  /** Until when slices are begun as they come in this turn of the event loop; undefined where none has come. */
  #end: number | undefined;

  /** @param now milliseconds of a monotonic clock */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Waits for a turn of the key. */
  next(key: string): Promise<void> {
    if (this.#waiting.size === 0 && this.#hasTime()) return Promise.resolve();
    return new Promise(resolve => {
      const others = this.#waiting.get(key);
      if (others === undefined) this.#waiting.set(key, [resolve]);
      else others.push(resolve);
      // Else it is scheduled already.
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
        // To the end of the order.
        this.#waiting.delete(key);
        if (others.length > 0) this.#waiting.set(key, others);
        if (this.#waiting.size > 0) this.#schedule();
        begin?.();
        return;
      }
    });
  }
}
