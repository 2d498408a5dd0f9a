/** A value that changes until it is final, for those who watch it. */
export class Watched<T> {
  #value: T;
  #version = 1;
  #isFinal = false;
  readonly #waiting = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  /** Counts the changes, from 1. */
  get version(): number {
    return this.#version;
  }

  /** Whether it will not change any more. */
  get isFinal(): boolean {
    return this.#isFinal;
  }

  set(value: T): void {
    if (this.#isFinal) return;
    this.#value = value;
    this.#version++;
    for (const wake of [...this.#waiting]) wake();
  }

  setFinal(value: T): void {
    this.set(value);
    this.#isFinal = true;
  }

  /**
   * Waits for another version than one that was seen.
   *
   * @returns false if it was still the same after `ms` milliseconds, or when the signal was aborted
   */
  async changed(seen: number, ms: number, signal: AbortSignal): Promise<boolean> {
    if (this.#version === seen && !this.#isFinal && !signal.aborted)
      await new Promise<void>(resolve => {
        const wake = (): void => {
          clearTimeout(timer);
          this.#waiting.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        const timer = setTimeout(wake, ms);
        this.#waiting.add(wake);
        signal.addEventListener('abort', wake);
      });
    return this.#version !== seen;
  }
}
