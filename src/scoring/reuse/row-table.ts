import type { CopiedRows } from './copied-rows.ts';
import { KEY_WORDS } from './row-keys.ts';

const NONE = -1;

/**
 * A table of rows by key with a fixed size: the oldest make room for new ones. Chains of slots with the same part of
 * their keys are linked by numbers in typed arrays, and the bytes are in a ring.
 */
export class RowTable {
  readonly #keys: Int32Array;
  readonly #heads: Int32Array;
  readonly #next: Int32Array;
  readonly #positions: Float64Array;
  readonly #repeated: Uint8Array;
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  /** Bytes of the ring that a slot takes, with those that were left free before it. */
  readonly #sizes: Int32Array;
  readonly #bytes: Buffer;
  /** Entries so far, and the first of them that is still there; an entry's slot is its number modulo the size. */
  #added = 0;
  #first = 0;
  #used = 0;
  #writeAt = 0;

  /** @param rows of which there is room; @param bytes for what is kept of them */
  constructor(rows: number, bytes: number) {
    this.#keys = new Int32Array(rows * KEY_WORDS);
    this.#heads = new Int32Array(1 << (32 - Math.clz32(rows))).fill(NONE);
    this.#next = new Int32Array(rows);
    this.#positions = new Float64Array(rows);
    this.#repeated = new Uint8Array(rows);
    this.#starts = new Int32Array(rows);
    this.#ends = new Int32Array(rows);
    this.#sizes = new Int32Array(rows);
    this.#bytes = Buffer.allocUnsafe(bytes);
  }

  /**
   * Adds a row, in the place of one with the same key.
   *
   * @param position of the row in its file
   */
  add(keys: Int32Array, row: number, from: Uint8Array, start: number, end: number, position: number): void {
    const length = end - start;
    const { length: capacity } = this.#next;
    if (length > this.#bytes.length) return;
    const before = this.find(keys, row);
    if (before !== NONE) this.#unlink(before);
    const skipped = this.#writeAt + length > this.#bytes.length ? this.#bytes.length - this.#writeAt : 0;
    while (
      this.#first < this.#added &&
      (this.#added - this.#first === capacity || this.#used + skipped + length > this.#bytes.length)
    )
      this.#dropOldest();
    if (skipped > 0) this.#writeAt = 0;
    const slot = this.#added++ % capacity;
    for (let word = 0; word < KEY_WORDS; word++)
      this.#keys[slot * KEY_WORDS + word] = keys[row * KEY_WORDS + word] as number;
    this.#starts[slot] = this.#writeAt;
    for (let at = start; at < end; at++) this.#bytes[this.#writeAt++] = from[at] as number;
    this.#ends[slot] = this.#writeAt;
    this.#sizes[slot] = skipped + length;
    this.#used += skipped + length;
    this.#positions[slot] = position;
    this.#repeated[slot] = before === NONE ? 0 : 1;
    const head = this.#headOf(keys[row * KEY_WORDS] as number);
    this.#next[slot] = this.#heads[head] as number;
    this.#heads[head] = slot;
  }

  /** The slot of the row with a key; -1 if it is not there. It is valid until a row is added. */
  find(keys: Int32Array, row: number): number {
    const at = row * KEY_WORDS;
    let slot = this.#heads[this.#headOf(keys[at] as number)] as number;
    while (slot !== NONE && !this.#hasKey(slot, keys, at)) slot = this.#next[slot] as number;
    return slot;
  }

  positionOf(slot: number): number {
    return this.#positions[slot] as number;
  }

  /** Whether a row with the same key was there before. */
  isRepeated(slot: number): boolean {
    return this.#repeated[slot] === 1;
  }

  copyTo(into: CopiedRows, row: number, slot: number): void {
    into.add(row, this.#bytes, this.#starts[slot] as number, this.#ends[slot] as number);
  }

  #headOf(word: number): number {
    return word & (this.#heads.length - 1);
  }

  #hasKey(slot: number, keys: Int32Array, at: number): boolean {
    const own = slot * KEY_WORDS;
    return (
      this.#keys[own] === keys[at] &&
      this.#keys[own + 1] === keys[at + 1] &&
      this.#keys[own + 2] === keys[at + 2] &&
      this.#keys[own + 3] === keys[at + 3]
    );
  }

  #dropOldest(): void {
    const slot = this.#first++ % this.#next.length;
    this.#unlink(slot);
    this.#used -= this.#sizes[slot] as number;
  }

  /** Takes a slot out of its chain, unless it was taken out before. */
  #unlink(slot: number): void {
    const head = this.#headOf(this.#keys[slot * KEY_WORDS] as number);
    const next = this.#next[slot] as number;
    let at = this.#heads[head] as number;
    if (at === slot) this.#heads[head] = next;
    for (; at !== NONE; at = this.#next[at] as number) if (this.#next[at] === slot) this.#next[at] = next;
  }
}
