import { OWNER } from '../session/sessions.ts';

/**
 * The disk space of the platform. A key may take at most as much as it leaves free for others, so that none can fill it;
 * the owner of the service may take all of it.
 */
export class Quota {
  readonly total: number;
  #used = 0;
  /** By the name of a key. */
  readonly #held = new Map<string, number>();

  constructor(total: number) {
    this.total = total;
  }

  /** Bytes that are stored or reserved. */
  get used(): number {
    return this.#used;
  }

  get free(): number {
    return Math.max(0, this.total - this.#used);
  }

  /** How many bytes more a key may take. */
  freeFor(key: string): number {
    if (key === OWNER) return this.free;
    return Math.max(0, Math.floor((this.free - (this.#held.get(key) ?? 0)) / 2));
  }

  /** @returns false, without taking anything, if a key may not take that many bytes */
  take(key: string, bytes: number): boolean {
    if (bytes > this.freeFor(key)) return false;
    this.add(key, bytes);
    return true;
  }

  /** Counts bytes that exist already, even if they exceed the total: it may have been lowered. */
  add(key: string, bytes: number): void {
    this.#used += bytes;
    const held = (this.#held.get(key) ?? 0) + bytes;
    if (held === 0) this.#held.delete(key);
    else this.#held.set(key, held);
  }
}
