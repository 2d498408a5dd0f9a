/**
 * The disk space of the uploads. An upload reserves its bytes before they are written, so that parallel uploads cannot
 * exceed the total.
 */
export class Quota {
  readonly total: number;
  #used = 0;

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

  /** @returns false, without taking anything, if there is not enough room */
  take(bytes: number): boolean {
    if (bytes > this.total - this.#used) return false;
    this.#used += bytes;
    return true;
  }

  /** Counts bytes that exist already, even if they exceed the total: it may have been lowered. */
  add(bytes: number): void {
    this.#used += bytes;
  }

  release(bytes: number): void {
    this.#used -= bytes;
  }
}
