import { RowcastError } from '../../../base/errors.ts';

/** The bytes of different values stay below this: their places are 32-bit integers. */
const MAX_BYTES = 2 ** 31;

/** The values of a column as bytes, each different one once. */
export class ValueColumn {
  #rows = 0;
  #present = 0;
  #presentBytes = 0;
  /** For each row, the index of its value; -1 if it is missing. */
  #codes = new Int32Array(1 << 10);
  #bytes = Buffer.alloc(1 << 12);
  /** Value i is `#bytes[#ends[i - 1], #ends[i])`, and has the hash `#hashes[i]`. */
  #ends = new Int32Array(1 << 8);
  #hashes = new Int32Array(1 << 8);
  #values = 0;
  /** Indexes of values plus 1, in the slots of their hashes, or the first free ones behind them. */
  #slots = new Int32Array(1 << 9);

  readonly #maxBytes: number;

  /** @param maxBytes that the different values take in all: fewer */
  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Rows that have a value. */
  get present(): number {
    return this.#present;
  }

  /** The bytes of the values of all rows. */
  get presentBytes(): number {
    return this.#presentBytes;
  }

  get codes(): Int32Array {
    return this.#codes.subarray(0, this.#rows);
  }

  /** The different values, in the order of their first rows. */
  get dictionary(): { bytes: Buffer; ends: Int32Array } {
    return { bytes: this.#bytes, ends: this.#ends.subarray(0, this.#values) };
  }

  /** The value of a row; undefined if it is missing. */
  at(row: number): Buffer | undefined {
    const code = this.#codes[row] ?? -1;
    return code < 0
      ? undefined
      : this.#bytes.subarray(code === 0 ? 0 : this.#ends[code - 1], this.#ends[code]);
  }

  clear(): void {
    this.#rows = 0;
    this.#present = 0;
    this.#presentBytes = 0;
    this.#values = 0;
    this.#slots.fill(0);
  }

  /** @throws RowcastError `group_too_large` */
  add(bytes: Uint8Array, start: number, end: number): void {
    this.#present++;
    this.#presentBytes += end - start;
    // FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv).
    let hash = 0x811c9dc5;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
    hash ^= hash >>> 15;
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let found = 0; ; slot = (slot + 1) & mask) {
      found = this.#slots[slot] as number;
      if (found === 0) break;
      if (this.#hashes[found - 1] === hash && this.#isValue(found - 1, bytes, start, end)) {
        this.#addCode(found - 1);
        return;
      }
    }
    this.#slots[slot] = this.#values + 1;
    this.#addValue(hash, bytes, start, end);
    this.#addCode(this.#values - 1);
  }

  addMissing(): void {
    this.#addCode(-1);
  }

  #isValue(value: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = value === 0 ? 0 : (this.#ends[value - 1] as number);
    const size = end - start;
    if ((this.#ends[value] as number) - from !== size) return false;
    const own = this.#bytes;
    for (let at = 0; at < size; at++) if (own[from + at] !== bytes[start + at]) return false;
    return true;
  }

  #addCode(code: number): void {
    if (this.#rows === this.#codes.length) this.#codes = enlarged(this.#codes);
    this.#codes[this.#rows++] = code;
  }

  #addValue(hash: number, bytes: Uint8Array, start: number, end: number): void {
    const from = this.#values === 0 ? 0 : (this.#ends[this.#values - 1] as number);
    const to = from + end - start;
    if (to >= this.#maxBytes)
      throw new RowcastError('group_too_large', 'the texts of a column take 2 GiB or more in a row group', {
        severity: 'stopped',
        hint: 'Write smaller row groups, with --group-rows.',
      });
    if (to > this.#bytes.length) {
      const larger = Buffer.alloc(Math.min(2 * to, this.#maxBytes));
      this.#bytes.copy(larger, 0, 0, from);
      this.#bytes = larger;
    }
    for (let at = start; at < end; at++) this.#bytes[from + at - start] = bytes[at] as number;
    if (this.#values === this.#ends.length) {
      this.#ends = enlarged(this.#ends);
      this.#hashes = enlarged(this.#hashes);
    }
    this.#ends[this.#values] = to;
    this.#hashes[this.#values++] = hash;
    if (2 * this.#values > this.#slots.length) this.#enlargeSlots();
  }

  #enlargeSlots(): void {
    const slots = new Int32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    for (let value = 0; value < this.#values; value++) {
      let slot = (this.#hashes[value] as number) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = value + 1;
    }
    this.#slots = slots;
  }
}

function enlarged(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * array.length);
  larger.set(array);
  return larger;
}
