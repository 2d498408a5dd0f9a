import { copyBytes, type WordView, wordView } from '../../formats/bytes/word-view.ts';
import { isEqual } from '../../formats/columns/level-column.ts';
import type { KeyedRows } from './keyed-rows.ts';

/** Keys of rows, as of `KeyedRows`. */
type Keys = Omit<KeyedRows, 'numbers'>;

/** The label of a key whose labels differ: it is equal to no label, not even itself. */
export const CONFLICT = Number.NaN;

/** Bytes of a key's slots, of which there are at most four, and of what is kept with it. */
const ENTRY_BYTES = 16 + 4 + 4 + 8 + 8 + 4 + 4;
const DOUBLE_BYTES = Float64Array.BYTES_PER_ELEMENT;
const FIRST_SLOTS = 1 << 12;
/** A slot has an entry, counted from 1, and in its other bits the first ones of the hash. */
const ENTRY_BITS = 21;
const ENTRY_MASK = (1 << ENTRY_BITS) - 1;

/**
 * The labels of keys, and how often each key was found: a hash table with open addressing. Its arrays have from the
 * beginning the size that they may reach; the system gives them memory as they are filled.
 */
export class LabelTable {
  readonly #maxBytes: number;
  readonly #entryBytes: number;
  /** The entry of each slot, with a part of its hash; 0 if it is empty. */
  #slots = new Int32Array(FIRST_SLOTS);
  readonly #hashes: Int32Array;
  /** The keys, one after the other; that of entry e begins at `#starts[e]`. */
  readonly #keys: WordView;
  readonly #starts: Int32Array;
  /** The label of each entry, or `CONFLICT`. */
  readonly labels: Float64Array;
  /** Where the first label row of each entry is, as the reader says it. */
  readonly places: Float64Array;
  /** The number of label rows of each entry. */
  readonly labelRows: Uint32Array;
  /** The number of scored rows of each entry. */
  readonly scoredRows: Uint32Array;
  size = 0;

  /**
   * @param maxBytes the most memory that it takes
   * @param width numbers that are kept for each entry besides
   */
  constructor(maxBytes: number, width: number) {
    this.#maxBytes = maxBytes;
    this.#entryBytes = ENTRY_BYTES + width * DOUBLE_BYTES;
    const most = Math.min(ENTRY_MASK, Math.floor(maxBytes / this.#entryBytes) + 1);
    this.#keys = wordView(Buffer.allocUnsafeSlow(maxBytes));
    this.#starts = new Int32Array(most + 1);
    this.#hashes = new Int32Array(most);
    this.labels = new Float64Array(most);
    this.places = new Float64Array(most);
    this.labelRows = new Uint32Array(most);
    this.scoredRows = new Uint32Array(most);
  }

  /** The key of an entry, in memory of the table. */
  keyOf(entry: number): Buffer {
    return this.#keys.bytes.subarray(this.#starts[entry], this.#starts[entry + 1]);
  }

  /** The keys of all entries. */
  get keys(): { words: WordView; starts: Int32Array } {
    return { words: this.#keys, starts: this.#starts };
  }

  /** Forgets all keys. */
  clear(): void {
    this.#slots.fill(0);
    this.scoredRows.fill(0, 0, this.size);
    this.size = 0;
  }

  /** Adds label rows of a key. @returns false if there is no memory for it */
  add(
    words: WordView,
    start: number,
    end: number,
    hash: number,
    label: number,
    place: number,
    rows: number,
  ): boolean {
    const slot = this.#slotOf(words, start, end, hash);
    const found = this.#entryAt(slot);
    if (found >= 0) {
      if (this.labels[found] !== label) this.labels[found] = CONFLICT;
      this.labelRows[found] = (this.labelRows[found] as number) + rows;
      return true;
    }
    const entry = this.size;
    const from = this.#starts[entry] as number;
    const bytes = (entry + 1) * this.#entryBytes + from + end - start;
    if (bytes > this.#maxBytes || entry === ENTRY_MASK) return false;
    this.#starts[entry + 1] = copyBytes(words, start, end, this.#keys, from);
    this.labels[entry] = label;
    this.places[entry] = place;
    this.labelRows[entry] = rows;
    this.#hashes[entry] = hash;
    this.#slots[slot] = slotValue(entry, hash);
    this.size++;
    if (2 * this.size > this.#slots.length) this.#enlarge();
    return true;
  }

  /**
   * Finds the entries of keys, or -1. Each step is done for all of them: memory that a processor waits for is then
   * fetched for many keys at once.
   */
  findAll({ rows, words, starts, ends }: Keys, hashes: Int32Array, entries: Int32Array): void {
    const slots = this.#slots;
    const last = slots.length - 1;
    for (let row = 0; row < rows; row++)
      hashes[row] = hashOfKey(words, starts[row] as number, ends[row] as number);
    for (let row = 0; row < rows; row++) {
      const hash = hashes[row] as number;
      let slot = hash & last;
      let value = slots[slot] as number;
      while (value !== 0 && (value ^ hash) >>> ENTRY_BITS !== 0) {
        slot = (slot + 1) & last;
        value = slots[slot] as number;
      }
      entries[row] = (value & ENTRY_MASK) - 1;
    }
    for (let row = 0; row < rows; row++) {
      const entry = entries[row] as number;
      if (entry === -1) continue;
      const [start, end] = [starts[row] as number, ends[row] as number];
      if (!this.#has(entry, words, start, end))
        entries[row] = this.#entryAt(this.#slotOf(words, start, end, hashes[row] as number));
    }
  }

  #entryAt(slot: number): number {
    return ((this.#slots[slot] as number) & ENTRY_MASK) - 1;
  }

  /** The slot that has the key, or the empty one where it belongs. */
  #slotOf(words: WordView, start: number, end: number, hash: number): number {
    const slots = this.#slots;
    const last = slots.length - 1;
    for (let slot = hash & last; ; slot = (slot + 1) & last) {
      const value = slots[slot] as number;
      if (value === 0) return slot;
      if ((value ^ hash) >>> ENTRY_BITS === 0 && this.#has((value & ENTRY_MASK) - 1, words, start, end))
        return slot;
    }
  }

  #has(entry: number, words: WordView, start: number, end: number): boolean {
    const from = this.#starts[entry] as number;
    const length = end - start;
    return (
      (this.#starts[entry + 1] as number) - from === length && isEqual(this.#keys, from, words, start, length)
    );
  }

  #enlarge(): void {
    const slots = new Int32Array(2 * this.#slots.length);
    const last = slots.length - 1;
    for (let entry = 0; entry < this.size; entry++) {
      const hash = this.#hashes[entry] as number;
      let slot = hash & last;
      while (slots[slot] !== 0) slot = (slot + 1) & last;
      slots[slot] = slotValue(entry, hash);
    }
    this.#slots = slots;
  }
}

const slotValue = (entry: number, hash: number): number => (entry + 1) | (hash & ~ENTRY_MASK);

const MIX = 0x9e3779b1;

/** A hash of `bytes[start, end)`, by multiplication. The last word overlaps the one before it. */
export function hashOfKey({ view }: WordView, start: number, end: number): number {
  let hash = end - start;
  if (hash >= 4) {
    for (let at = start; at < end - 4; at += 4) hash = mixed(hash ^ view.getInt32(at, true));
    return mixed(hash ^ view.getInt32(end - 4, true));
  }
  for (let at = start; at < end; at++) hash = mixed(hash ^ view.getUint8(at));
  return hash;
}

function mixed(value: number): number {
  const product = Math.imul(value, MIX);
  return Math.imul(product ^ (product >>> 15), MIX) ^ (product >>> 13);
}
