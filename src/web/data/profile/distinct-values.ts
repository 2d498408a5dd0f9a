const MAX_VALUE_BYTES = 256;

/**
 * Counts the different values of a column, up to a limit: columns with more of them are amounts, names or texts. Values
 * are compared as bytes, because most fields need no text of their own.
 */
export class DistinctValues {
  readonly #most: number;
  /** An open-addressing hash table: index of a value + 1, or 0. */
  #slots = new Int32Array(16);
  readonly #hashes: number[] = [];
  readonly #counts: number[] = [];
  /** The bytes of all values, and where each one ends. */
  #bytes = Buffer.alloc(64);
  readonly #ends: number[] = [];
  #isOver = false;

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether there are more values than the limit, or one of them is long: nothing is counted any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get size(): number {
    return this.#counts.length;
  }

  add(bytes: Uint8Array, start: number, end: number): void {
    if (end - start > MAX_VALUE_BYTES) this.#giveUp();
    if (this.#isOver) return;
    let hash = 0x811c9dc5;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
    const mask = this.#slots.length - 1;
    // The low bits of FNV-1a alone are weak.
    for (let slot = (hash ^ (hash >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const index = (this.#slots[slot] ?? 0) - 1;
      if (index === -1) {
        this.#insert(slot, hash, bytes.subarray(start, end));
        return;
      }
      if (this.#hashes[index] === hash && this.#equals(index, bytes, start, end)) {
        this.#counts[index] = (this.#counts[index] ?? 0) + 1;
        return;
      }
    }
  }

  /** The values and how often each occurs, the most frequent first. */
  ranked(most: number): { text: string; count: number }[] {
    const order = this.#counts.map((_, index) => index);
    order.sort((a, b) => (this.#counts[b] ?? 0) - (this.#counts[a] ?? 0) || a - b);
    return order.slice(0, most).map(index => ({
      text: this.#bytes.toString('utf8', this.#startOf(index), this.#ends[index]),
      count: this.#counts[index] ?? 0,
    }));
  }

  #startOf(index: number): number {
    return index === 0 ? 0 : (this.#ends[index - 1] ?? 0);
  }

  #equals(index: number, bytes: Uint8Array, start: number, end: number): boolean {
    const own = this.#startOf(index);
    if ((this.#ends[index] ?? 0) - own !== end - start) return false;
    for (let i = 0; i < end - start; i++) if (this.#bytes[own + i] !== bytes[start + i]) return false;
    return true;
  }

  #insert(slot: number, hash: number, value: Uint8Array): void {
    if (this.size === this.#most) {
      this.#giveUp();
      return;
    }
    const used = this.#ends.at(-1) ?? 0;
    if (used + value.length > this.#bytes.length)
      this.#bytes = Buffer.concat([this.#bytes], 2 * (used + value.length));
    this.#bytes.set(value, used);
    this.#ends.push(used + value.length);
    this.#hashes.push(hash);
    this.#counts.push(1);
    this.#slots[slot] = this.size;
    if (2 * this.size > this.#slots.length) this.#grow();
  }

  #grow(): void {
    const slots = new Int32Array(4 * this.#slots.length);
    const mask = slots.length - 1;
    for (const [index, hash] of this.#hashes.entries()) {
      let slot = (hash ^ (hash >>> 15)) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = index + 1;
    }
    this.#slots = slots;
  }

  #giveUp(): void {
    this.#isOver = true;
    this.#slots = new Int32Array();
    this.#bytes = Buffer.alloc(0);
  }
}
