import { copyBytes, type WordView, wordView } from '../../formats/bytes/word-view.ts';
import { isEqual } from '../../formats/columns/level-column.ts';

/** The label of a key whose labels differ: it is equal to no label, not even itself. */
export const CONFLICT = Number.NaN;

/** Bytes of a key's slots, which are at most twice doubled, and of what is kept with it. */
const ENTRY_BYTES = 32 + 4 + 8 + 8 + 4 + 4;
const DOUBLE_BYTES = Float64Array.BYTES_PER_ELEMENT;
const FIRST_SLOTS = 1 << 12;

/**
 * The labels of keys, and how often each key was found: a hash table with open addressing. Its arrays have from the
 * beginning the size that they may reach; the system gives them memory as they are filled.
 */
export class LabelTable {
  readonly #maxBytes: number;
  readonly #entryBytes: number;
  /** Two numbers for each slot: the hash of a key, and its entry, counted from 1. */
  #slots = new Int32Array(2 * FIRST_SLOTS);
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
    const most = Math.floor(maxBytes / this.#entryBytes) + 1;
    this.#keys = wordView(Buffer.allocUnsafeSlow(maxBytes));
    this.#starts = new Int32Array(most + 1);
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
    const found = (this.#slots[slot + 1] as number) - 1;
    if (found >= 0) {
      if (this.labels[found] !== label) this.labels[found] = CONFLICT;
      this.labelRows[found] = (this.labelRows[found] as number) + rows;
      return true;
    }
    const entry = this.size;
    const from = this.#starts[entry] as number;
    const bytes = (entry + 1) * this.#entryBytes + from + end - start;
    if (bytes > this.#maxBytes) return false;
    this.#starts[entry + 1] = copyBytes(words, start, end, this.#keys, from);
    this.labels[entry] = label;
    this.places[entry] = place;
    this.labelRows[entry] = rows;
    this.#slots[slot] = hash;
    this.#slots[slot + 1] = ++this.size;
    if (4 * this.size > this.#slots.length) this.#enlarge();
    return true;
  }

  /** The entry of a key, or -1. */
  find(words: WordView, start: number, end: number, hash: number): number {
    return (this.#slots[this.#slotOf(words, start, end, hash) + 1] as number) - 1;
  }

  /** The slot that has the key, or the empty one where it belongs. */
  #slotOf(words: WordView, start: number, end: number, hash: number): number {
    const slots = this.#slots;
    const last = slots.length - 1;
    for (let slot = (hash << 1) & last; ; slot = (slot + 2) & last) {
      const entry = (slots[slot + 1] as number) - 1;
      if (entry < 0) return slot;
      if (slots[slot] === hash && this.#has(entry, words, start, end)) return slot;
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
    const former = this.#slots;
    const slots = new Int32Array(2 * former.length);
    const last = slots.length - 1;
    for (let at = 0; at < former.length; at += 2) {
      if (former[at + 1] === 0) continue;
      const hash = former[at] as number;
      let slot = (hash << 1) & last;
      while (slots[slot + 1] !== 0) slot = (slot + 2) & last;
      slots[slot] = hash;
      slots[slot + 1] = former[at + 1] as number;
    }
    this.#slots = slots;
  }
}

const MIX = 0x9e3779b1;

/** A hash of `bytes[start, end)`, by multiplication. The last word overlaps the one before it. */
export function keyHash({ view }: WordView, start: number, end: number): number {
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
