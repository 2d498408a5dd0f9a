/**
 * The service's one thread, slice by slice: per turn of the event loop one slice of work is done, and the keys that have
 * some take turns, so that a key with a thousand calls holds up another's call by one slice of its own.
 */
export class Turns {
  /** Who waits, in order; the key that comes first is next. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Waits for a turn of the key. */
  next(key: string): Promise<void> {
    return new Promise(resolve => {
      const others = this.#waiting.get(key);
      if (others === undefined) this.#waiting.set(key, [resolve]);
      else others.push(resolve);
      // Else it is scheduled already.
      if (others === undefined && this.#waiting.size === 1) this.#schedule();
    });
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
