/** Different values as bytes, each once: a hash table with open addressing. */
export class ValueTable {
  #size = 0;
  #bytes = Buffer.alloc(1 << 8);
  /** Value i is `#bytes[#ends[i - 1], #ends[i])`, and has the hash `#hashes[i]`. */
  #ends = new Int32Array(1 << 5);
  #hashes = new Int32Array(1 << 5);
  /** Indexes of values plus 1, in the slots of their hashes, or the first free ones behind them. */
  #slots = new Int32Array(1 << 6);
  readonly #maxBytes: number;

  /** @param maxBytes that the values take in all: fewer, and less than 2 GiB */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get size(): number {
    return this.#size;
  }

  /** The bytes of all values, in the order in which they were added, and where each ends. */
  get values(): { bytes: Buffer; ends: Int32Array } {
    return { bytes: this.#bytes, ends: this.#ends.subarray(0, this.#size) };
  }

  /** The bytes of a value, which are valid until the next one is added. */
  at(index: number): Buffer {
    return this.#bytes.subarray(this.#startOf(index), this.#ends[index]);
  }

  clear(): void {
    this.#size = 0;
    this.#slots.fill(0);
  }

  /** Adds a value, unless it is in the table. @returns its index; undefined if the values would be too long */
  indexOf(bytes: Uint8Array, start: number, end: number): number | undefined {
    // FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv), whose low bits alone are weak.
    let hash = 0x811c9dc5;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
    hash ^= hash >>> 15;
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const index = (this.#slots[slot] as number) - 1;
      if (index === -1) break;
      if (this.#hashes[index] === hash && this.#isValue(index, bytes, start, end)) return index;
      slot = (slot + 1) & mask;
    }
    if (!this.#append(hash, bytes, start, end)) return undefined;
    this.#slots[slot] = this.#size;
    if (2 * this.#size > this.#slots.length) this.#enlargeSlots();
    return this.#size - 1;
  }

  #startOf(index: number): number {
    return index === 0 ? 0 : (this.#ends[index - 1] as number);
  }

  #isValue(index: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.#startOf(index);
    const size = end - start;
    if ((this.#ends[index] as number) - from !== size) return false;
    const own = this.#bytes;
    for (let at = 0; at < size; at++) if (own[from + at] !== bytes[start + at]) return false;
    return true;
  }

  #append(hash: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.#startOf(this.#size);
    const to = from + end - start;
    if (to >= this.#maxBytes) return false;
    if (to > this.#bytes.length) {
      const larger = Buffer.alloc(Math.min(2 * to, this.#maxBytes));
      this.#bytes.copy(larger, 0, 0, from);
      this.#bytes = larger;
    }
    for (let at = start; at < end; at++) this.#bytes[from + at - start] = bytes[at] as number;
    if (this.#size === this.#ends.length) {
      this.#ends = enlarged(this.#ends);
      this.#hashes = enlarged(this.#hashes);
    }
    this.#ends[this.#size] = to;
    this.#hashes[this.#size++] = hash;
    return true;
  }

  #enlargeSlots(): void {
    const slots = new Int32Array(4 * this.#slots.length);
    const mask = slots.length - 1;
    for (let index = 0; index < this.#size; index++) {
      let slot = (this.#hashes[index] as number) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = index + 1;
    }
    this.#slots = slots;
  }
}

/** An array of twice the length, which begins with the numbers of another one. */
export function enlarged(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * array.length);
  larger.set(array);
  return larger;
}
