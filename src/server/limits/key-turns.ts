import { KeyQueue } from './key-queue.ts';

/** Slices that are worked on at once, so that a thread has the next one when it finishes one. */
const AT_ONCE = 2;

/** Shares a thread or a disk between keys, slice by slice: a key with a thousand requests delays another key's by two slices. */
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
