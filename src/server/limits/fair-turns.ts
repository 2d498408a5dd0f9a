/** How long slices start without waiting within one turn of the event loop. */
const LOOP_MS = 10;

/**
 * Shares the service's main thread between keys, slice by slice. When there is more work than fits into one turn of
 * the event loop, keys take turns, one slice per turn of the loop, so that a key with a thousand requests delays
 * another key's request by only one slice. Otherwise nothing waits, because waiting costs 10% more CPU time.
 */
export class MainThreadTurns {
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

/** What waits for its turn, by key: keys take turns (round-robin), whatever the number of each that waits. */
class KeyQueue {
  /** The first key is next. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Whether nothing waits. */
  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  add(key: string, begin: () => void): void {
    const others = this.#waiting.get(key);
    if (others === undefined) this.#waiting.set(key, [begin]);
    else others.push(begin);
  }

  /** Removes what is next, and moves its key to the end. */
  take(): (() => void) | undefined {
    for (const [key, waiting] of this.#waiting) {
      this.#waiting.delete(key);
      const begin = waiting.shift();
      if (waiting.length > 0) this.#waiting.set(key, waiting);
      return begin;
    }
    return undefined;
  }
}

/** Slices that are worked on at once, so that a thread has the next one when it finishes one. */
const AT_ONCE = 2;

/**
 * Shares a thread or a disk between keys, slice by slice: a key with a thousand requests delays another key's by two
 * slices.
 */
export class KeyTurns {
  readonly #waiting = new KeyQueue();
  #running = 0;

  /** Does a slice of work in the key's next turn. */
  async run<T>(key: string, slice: () => Promise<T>): Promise<T> {
    if (this.#running < AT_ONCE) this.#running++;
    else await new Promise<void>(resolve => this.#waiting.add(key, resolve));
    try {
      return await slice();
    } finally {
      const next = this.#waiting.take();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
