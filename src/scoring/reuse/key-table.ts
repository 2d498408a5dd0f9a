import { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { KEY_WORDS } from './row-keys.ts';

/** Which rows `KeyTable.find` adds. */
export const adds = { none: 0, missing: 1, all: 2 } as const;

/** What `KeyTable.find` does with a row: look for it, nothing, or only take an entry, which is never found. */
export const todo = { find: 0, nothing: 1, takeEntry: 2 } as const;

const BUCKET_ENTRIES = 16;
/** Memory for more would cost more time than is gained (8 MiB). */
const MAX_BUCKETS = 1 << 17;
/** How many entries a table has at first, and the factor by which it grows: a small run needs little memory. */
const FIRST_ENTRIES = 1 << 12;
const GROWTH = 16;
/** The most entries: a number in a bucket has this many values for an entry, and the other bits are of its key. */
const MAX_ENTRIES = 1 << 21;
const TAG = ~(MAX_ENTRIES - 1);
const WORD_BYTES = 4;
/** Where in the kernel's table the entry is that it takes next. */
const NEXT_ENTRY = 2;

/**
 * A table of keys with a fixed size, in which new ones take the entries of the oldest. For each row that is added, the
 * next entry is taken, from 0 on, and after the last one 0 again.
 *
 * The entries of keys that begin alike are in one bucket, a line of the processor's cache, with the last ones first. If
 * there are more than 16, the oldest is forgotten too early: with 900,000 entries, one of 5,000 when it is old. A key
 * that is added again leaves its entry before, so that one which occurs often takes one place of a bucket. Most of
 * what is not there is seen by the bits in its bucket. A kernel does this for the rows of a batch at once, so that it
 * does not wait for each bucket (assembly/find-keys.ts).
 */
export class KeyTable {
  readonly #capacity: number;
  readonly #memory: BatchMemory | undefined;
  /** How many entries there is memory for. */
  #size = 0;
  #lastBucket = 0;
  /** Where the kernel's table and its keys are. */
  #at = 0;
  #ringAt = 0;
  #ring: Int32Array = NO_WORDS;
  #buckets: Int32Array = NO_WORDS;
  /** How many entries were taken, until the table has its full size; without a kernel also then. */
  #taken = 0;

  /** @param hasKernel for tests */
  constructor(capacity: number, hasKernel = true) {
    if (capacity > MAX_ENTRIES) throw new RangeError('there are too many keys');
    this.#capacity = capacity;
    this.#memory = hasKernel ? BatchMemory.create() : undefined;
    this.#make(Math.min(capacity, FIRST_ENTRIES));
  }

  #make(size: number): void {
    this.#size = size;
    this.#taken = 0;
    this.#lastBucket = Math.min(MAX_BUCKETS, 2 ** Math.max(0, Math.ceil(Math.log2(size / 4)))) - 1;
    const [ringWords, bucketWords] = [size * KEY_WORDS, (this.#lastBucket + 1) * BUCKET_ENTRIES];
    if (this.#memory === undefined) {
      this.#ring = new Int32Array(ringWords);
      this.#buckets = new Int32Array(bucketWords);
    } else {
      const buckets = this.#memory.keepZeros(bucketWords * WORD_BYTES);
      this.#ringAt = this.#memory.keepZeros(ringWords * WORD_BYTES);
      this.#at = this.#memory.keep(Int32Array.of(this.#ringAt, size, 0, buckets, this.#lastBucket, 0));
    }
  }

  /** Makes the table larger, and adds its entries again. */
  #growFor(rows: number): void {
    const words = this.#taken * KEY_WORDS;
    const ring = this.#memory ? new Int32Array(this.#memory.buffer, this.#ringAt, words) : this.#ring;
    const keys = ring.slice(0, words);
    const plan = Int32Array.from({ length: this.#taken }, (_, entry) =>
      keys.subarray(entry * KEY_WORDS, (entry + 1) * KEY_WORDS).some(word => word !== 0)
        ? todo.find
        : todo.takeEntry,
    );
    this.#make(Math.min(this.#capacity, Math.max(GROWTH * this.#size, this.#taken + rows)));
    this.find(keys, plan.length, adds.all, plan.length, plan);
  }

  /**
   * Looks for rows, one after the other, and adds rows.
   *
   * @param keys `KEY_WORDS` for each row
   * @param kept how many of the last entries are found, besides those of these rows
   * @param plan what is done with each row; by default all are looked for
   * @returns how many were found, and the entry of each row's key, or -1, which is overwritten by the next call
   */
  find(
    keys: Int32Array,
    rows: number,
    added: (typeof adds)[keyof typeof adds],
    kept: number,
    plan?: Int32Array,
  ): { found: number; entries: Int32Array } {
    if (added !== adds.none && this.#size < this.#capacity && this.#taken + rows > this.#size)
      this.#growFor(rows);
    const memory = this.#memory;
    const most = Math.min(kept, this.#size);
    if (memory === undefined) return this.#find(keys, added, most, plan?.slice() ?? new Int32Array(rows));
    memory.clear();
    const keysAt = memory.reserve(rows * KEY_WORDS * WORD_BYTES);
    const entriesAt = memory.reserve(rows * WORD_BYTES);
    new Int32Array(memory.buffer, keysAt).set(keys.subarray(0, rows * KEY_WORDS));
    const entries = new Int32Array(memory.buffer, entriesAt, rows);
    if (plan === undefined) entries.fill(todo.find);
    else entries.set(plan);
    const found = memory.kernel.findKeys(this.#at, keysAt, rows, entriesAt, added, most);
    this.#taken = new Int32Array(memory.buffer, this.#at)[NEXT_ENTRY] as number;
    return { found, entries };
  }

  #find(
    keys: Int32Array,
    added: number,
    kept: number,
    entries: Int32Array,
  ): { found: number; entries: Int32Array } {
    const before = this.#taken;
    const [ring, buckets] = [this.#ring, this.#buckets];
    let found = 0;
    for (let row = 0; row < entries.length; row++) {
      const at = row * KEY_WORDS;
      const isLookedFor = entries[row] === todo.find;
      if (entries[row] === todo.takeEntry) this.#put(0, 0, 0, 0);
      entries[row] = -1;
      if (!isLookedFor) continue;
      const [k0 = 0, k1 = 0, k2 = 0, k3 = 0] = keys.subarray(at, at + KEY_WORDS);
      const first = (k0 & this.#lastBucket) * BUCKET_ENTRIES;
      const tag = k1 & TAG;
      // What an added entry takes the place of: the one with its key, or the oldest.
      let gone = first + BUCKET_ENTRIES - 1;
      for (let place = first; place < first + BUCKET_ENTRIES && entries[row] === -1; place++) {
        const number = buckets[place] as number;
        const entry = number & ~TAG;
        const own = entry * KEY_WORDS;
        const age = (this.#taken - 1 - entry) % this.#size;
        if (
          (number & TAG) === tag &&
          (age + this.#size) % this.#size < kept + this.#taken - before &&
          ring[own] === k0 &&
          ring[own + 1] === k1 &&
          ring[own + 2] === k2 &&
          ring[own + 3] === k3
        ) {
          entries[row] = entry;
          gone = place;
        }
      }
      const isFound = entries[row] !== -1;
      if (isFound) found++;
      if (added === adds.none || (added === adds.missing && isFound)) continue;
      buckets.copyWithin(first + 1, first, gone);
      buckets[first] = tag | (this.#taken % this.#size);
      this.#put(k0, k1, k2, k3);
    }
    return { found, entries };
  }

  #put(...key: readonly [number, number, number, number]): void {
    this.#ring.set(key, (this.#taken++ % this.#size) * KEY_WORDS);
  }
}

const NO_WORDS = new Int32Array();
