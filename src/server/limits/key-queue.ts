/** What waits for its turn, by key: keys take turns (round-robin), whatever the number of each that waits. */
export class KeyQueue {
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
