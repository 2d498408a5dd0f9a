import { copyBytes, type WordView, wordView } from '../../formats/bytes/word-view.ts';
import { isEqual } from '../../formats/columns/level-column.ts';
import type { JoinKeys } from './keyed-rows.ts';

/** The label of a key whose labels differ: it is equal to no label, not even itself. */
export const CONFLICT = Number.NaN;

/** The numbers of a row of labels: the label, where the row is, and how many rows it stands for. */
export const LABEL_WIDTH = 3;

const DOUBLE_BYTES = Float64Array.BYTES_PER_ELEMENT;
/** The slots that a key has at least, so that half of them are empty, and the bytes of those that it may have. */
const SLOTS_OF_KEY = 2;
const SLOT_BYTES = 4 * Int32Array.BYTES_PER_ELEMENT;
/** A slot has an entry, plus one, and in its other bits the first ones of the hash. */
const ENTRY_BITS = 24;
const ENTRY_MASK = (1 << ENTRY_BITS) - 1;

/**
 * The labels of keys, and the numbers of a scored row of each: a hash table with open addressing. All that is known of
 * a key is in one record, because finding the memory of a random key takes longer than all else: the size of the key
 * and how many scored rows it has, as two integers; the key; the numbers of its first scored row; its label. An entry
 * is where its record begins, in doubles. The system gives memory to the table as it is filled.
 */
export class LabelTable {
  /** The numbers of a scored row of each key, and its label, among other things. */
  readonly numbers: Float64Array;
  /** The keys, among other things. */
  readonly words: WordView;
  readonly #integers: Int32Array;
  readonly #slots: Int32Array;
  readonly #maxBytes: number;
  readonly #width: number;
  #keys = 0;
  /** Where the next record begins. */
  end = 0;

  /**
   * @param maxBytes the most memory that it takes, up to 128 MiB
   * @param width numbers of a scored row
   */
  constructor(maxBytes: number, width: number) {
    const bytes = Math.min(maxBytes, ENTRY_MASK * DOUBLE_BYTES) & -DOUBLE_BYTES;
    // The shortest key has one double.
    const smallest = (2 + width + LABEL_WIDTH) * DOUBLE_BYTES + SLOT_BYTES;
    const slots = SLOTS_OF_KEY * Math.ceil(bytes / smallest);
    this.#maxBytes = bytes;
    this.#width = width;
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(slots)));
    this.numbers = new Float64Array(bytes / DOUBLE_BYTES);
    const { buffer } = this.numbers;
    this.#integers = new Int32Array(buffer);
    this.words = wordView(Buffer.from(buffer));
  }

  /** The entry behind another one; the first is 0. */
  next(entry: number): number {
    return this.labelAt(entry) + LABEL_WIDTH;
  }

  /** Where the key of an entry begins and ends. */
  keyAt(entry: number): { start: number; stop: number } {
    const start = keyStart(entry);
    return { start, stop: start + (this.#integers[2 * entry] as number) };
  }

  /** Where the numbers of the first scored row of an entry are, if it has any. */
  scoredAt(entry: number): number {
    return entry + 1 + doublesOf(this.#integers[2 * entry] as number);
  }

  /** Where the label of an entry is, or `CONFLICT`, and behind it the place and number of its rows. */
  labelAt(entry: number): number {
    return this.scoredAt(entry) + this.#width;
  }

  /** The number of scored rows of an entry. */
  scoredRows(entry: number): number {
    return this.#integers[2 * entry + 1] as number;
  }

  /** Forgets all keys. */
  clear(): void {
    this.#slots.fill(0);
    this.#keys = 0;
    this.end = 0;
  }

  /**
   * Reads the first slots of keys that are to be added: a processor fetches the memory of many at once. @returns
   * anything, so that it is not left out
   */
  fetch({ rows, hashes }: JoinKeys): number {
    const slots = this.#slots;
    const last = slots.length - 1;
    let any = 0;
    for (let row = 0; row < rows; row++) any ^= slots[(hashes[row] as number) & last] as number;
    return any;
  }

  /** Adds label rows of a key, whose `LABEL_WIDTH` numbers begin at `at`. @returns false if there is no memory for it */
  add(words: WordView, start: number, end: number, hash: number, from: Float64Array, at: number): boolean {
    const { numbers } = this;
    const slot = this.#slotOf(words, start, end, hash);
    const found = this.#entryAt(slot);
    if (found >= 0) {
      const label = this.labelAt(found);
      if (numbers[label] !== from[at]) numbers[label] = CONFLICT;
      numbers[label + 2] = (numbers[label + 2] as number) + (from[at + 2] as number);
      return true;
    }
    const entry = this.end;
    const label = entry + 1 + doublesOf(end - start) + this.#width;
    const used = (label + LABEL_WIDTH) * DOUBLE_BYTES + (this.#keys + 1) * SLOT_BYTES;
    if (used > this.#maxBytes) return false;
    this.#integers[2 * entry] = end - start;
    this.#integers[2 * entry + 1] = 0;
    copyBytes(words, start, end, this.words, keyStart(entry));
    for (let index = 0; index < LABEL_WIDTH; index++) numbers[label + index] = from[at + index] as number;
    this.#slots[slot] = (entry + 1) | (hash & ~ENTRY_MASK);
    this.#keys++;
    this.end = label + LABEL_WIDTH;
    return true;
  }

  /** Adds a scored row of an entry, whose numbers begin at `at`. @returns false if there was one before */
  addScored(entry: number, from: Float64Array, at: number): boolean {
    const before = this.scoredRows(entry);
    this.#integers[2 * entry + 1] = before + 1;
    if (before > 0) return false;
    const to = this.scoredAt(entry);
    for (let index = 0; index < this.#width; index++) this.numbers[to + index] = from[at + index] as number;
    return true;
  }

  /**
   * Finds the entries of keys, or -1. Each step is done for all of them: memory that a processor waits for is then
   * fetched for many keys at once.
   */
  findAll({ rows, words, starts, ends, hashes }: JoinKeys, entries: Int32Array): void {
    const slots = this.#slots;
    const last = slots.length - 1;
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
    const length = end - start;
    return this.#integers[2 * entry] === length && isEqual(this.words, keyStart(entry), words, start, length);
  }
}

/** Where the key of an entry begins, in bytes. */
const keyStart = (entry: number): number => (entry + 1) * DOUBLE_BYTES;

/** The doubles that a key takes, by its bytes. */
const doublesOf = (bytes: number): number => (bytes + DOUBLE_BYTES - 1) >>> 3;
