import { closeSync, readSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { RowcastError } from '../../base/errors.ts';
import { isDiskFull, reasonOf } from '../../base/system-error.ts';
import type { CopiedRows } from '../../scoring/reuse/copied-rows.ts';
import { KEY_WORDS, type RowsByKey } from '../../scoring/reuse/row-keys.ts';
import { openUnnamed } from '../../storage/local/unnamed-file.ts';
import { diskFull } from '../../storage/target.ts';
import { type EarlierRows, startIn } from './earlier-rows.ts';

/** An entry is its key, the length of its bytes, and its bytes, filled up to whole words. */
const HEAD_WORDS = KEY_WORDS + 1;
const WORD_BYTES = 4;
/** The address of an entry is its slab times the words of one, and the first of its words in that. */
const SLAB_BITS = 18;
const SLAB_WORDS = 1 << SLAB_BITS;
/** Entries that are looked through for a row, on average. */
const BUCKET_ENTRIES = 8;
/** Entries added last, by some bits of their keys. */
const RECENT = 1 << 12;
const NONE = -1;
const NO_WORDS = new Int32Array();

/**
 * All rows of an earlier output by key. What does not fit into the memory is written to a temporary file, a run of
 * entries each time, of which a bucket is read for each row.
 */
export class HashedRows {
  readonly #maxBytes: number;
  readonly #entries = new Entries();
  readonly #runs: Run[] = [];
  #file: SpillFile | undefined;

  /** @param maxBytes memory for the table */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @param from the first row that is added */
  add(rows: Omit<EarlierRows, 'firstRow'>, from = 0): void {
    this.#entries.add(rows, from);
    const others = this.#runs.reduce((sum, { memory }) => sum + memory, 0);
    // The rest is for putting the entries in order, and for what is not collected yet.
    if (this.#entries.memory > Math.max(0.6 * (this.#maxBytes - others), this.#maxBytes / 8)) this.#spill();
  }

  /** No row is added any more. */
  end(): void {
    if (this.#entries.count > 0) this.#runs.push(new Run(this.#entries));
  }

  find(rows: RowsByKey, into: CopiedRows): void {
    for (const run of this.#runs) run.find(rows, into);
  }

  close(): void {
    this.#file?.close();
  }

  #spill(): void {
    this.#file ??= new SpillFile();
    this.#runs.push(new Run(this.#entries, this.#file));
    this.#entries.clear();
  }
}

/** Entries in the order in which they were added. */
class Entries {
  readonly slabs: Int32Array<ArrayBuffer>[] = [];
  /** Words of each slab that are used. */
  readonly #used: number[] = [];
  readonly #recent = new Int32Array(RECENT).fill(NONE);
  #slab = NONE;
  #at = 0;
  #words = 0;
  count = 0;

  /** In bytes, with what it takes to put them in order. */
  get memory(): number {
    return this.#words * WORD_BYTES + 6 * this.count;
  }

  /** Adds rows, but none whose key was added lately: what occurs very often is there only a few times. */
  add({ rows, keys, bytes, ends }: Omit<EarlierRows, 'firstRow'>, from: number): void {
    const values = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
    const recent = this.#recent;
    let words = this.slabs[this.#slab] ?? NO_WORDS;
    let to = this.#at;
    for (let row = from, at = from * KEY_WORDS; row < rows; row++, at += KEY_WORDS) {
      const start = startIn(ends, row);
      const length = (ends[row] as number) - start;
      if (length === 0) continue;
      const place = (keys[at + 1] as number) & (RECENT - 1);
      const before = recent[place] as number;
      const slab = this.slabs[before >>> SLAB_BITS];
      if (slab !== undefined && hasKey(slab, before & (SLAB_WORDS - 1), keys, at)) continue;
      const size = HEAD_WORDS + ((length + 3) >> 2);
      if (to + size > words.length) {
        this.#used[this.#slab] = to;
        words = this.#next(size);
        to = 0;
      }
      words[to] = keys[at] as number;
      words[to + 1] = keys[at + 1] as number;
      words[to + 2] = keys[at + 2] as number;
      words[to + 3] = keys[at + 3] as number;
      words[to + KEY_WORDS] = length;
      const first = start >> 2;
      for (let word = HEAD_WORDS; word < size; word++)
        words[to + word] = values[first + word - HEAD_WORDS] as number;
      recent[place] = this.#slab * SLAB_WORDS + to;
      to += size;
      this.#words += size;
      this.count++;
    }
    this.#at = to;
    this.#used[this.#slab] = to;
  }

  /** Calls with the address of each entry, and the words that it is in. */
  each(call: (address: number, words: Int32Array, at: number) => void): void {
    for (let slab = 0; slab <= this.#slab; slab++) {
      const words = this.slabs[slab] as Int32Array;
      const used = this.#used[slab] as number;
      for (let at = 0; at < used; at += entrySize(words, at)) call(slab * SLAB_WORDS + at, words, at);
    }
  }

  /** Forgets them, but keeps the memory. */
  clear(): void {
    this.#slab = NONE;
    this.#at = 0;
    this.#words = 0;
    this.count = 0;
    this.#recent.fill(NONE);
  }

  #next(size: number): Int32Array<ArrayBuffer> {
    const slab = ++this.#slab;
    const words = this.slabs[slab];
    // No longer than an address can say, unless it has one entry.
    if (words?.length === Math.max(SLAB_WORDS, size)) return words;
    const larger = new Int32Array(Math.max(SLAB_WORDS, size));
    this.slabs[slab] = larger;
    return larger;
  }
}

/** Entries in buckets by their keys, in memory or in a file. */
class Run {
  readonly #slabs: readonly Int32Array[];
  readonly #file: SpillFile | undefined;
  readonly #shift: number;
  /** Where each bucket begins: among the addresses, or in words of the file after `#at`. */
  readonly #buckets: Int32Array;
  readonly #addresses: Int32Array;
  readonly #at: number = 0;
  /** Three bits for each entry, in one of its words: most rows that are not there are not looked for. */
  readonly #filter: Int32Array;

  /** @param file in which they are written; otherwise they stay where they are */
  constructor(entries: Entries, file?: SpillFile) {
    const { count, slabs } = entries;
    const bits = Math.max(1, 32 - Math.clz32(count / BUCKET_ENTRIES));
    const shift = 32 - bits;
    const buckets = new Int32Array((1 << bits) + 1);
    const filter = new Int32Array(1 << (32 - Math.clz32(count >> 1)));
    const mask = filter.length - 1;
    entries.each((_, words, at) => {
      (buckets[((words[at] as number) >>> shift) + 1] as number)++;
      (filter[(words[at + 1] as number) & mask] as number) |= filterBits(words[at + 2] as number);
    });
    for (let bucket = 1; bucket < buckets.length; bucket++)
      (buckets[bucket] as number) += buckets[bucket - 1] as number;
    const addresses = new Int32Array(count);
    // After that, a bucket begins where it ended.
    entries.each((address, words, at) => {
      const bucket = (words[at] as number) >>> shift;
      addresses[(buckets[bucket] as number)++] = address;
    });
    buckets.copyWithin(1, 0, buckets.length - 1);
    buckets[0] = 0;
    this.#shift = shift;
    this.#filter = filter;
    this.#buckets = buckets;
    this.#file = file;
    this.#slabs = file === undefined ? slabs : [];
    this.#addresses = file === undefined ? addresses : NO_WORDS;
    if (file !== undefined) this.#at = writeEntries(slabs, addresses, buckets, file);
  }

  /** In bytes. */
  get memory(): number {
    return (this.#filter.length + this.#buckets.length + this.#addresses.length) * WORD_BYTES;
  }

  /** Copies what it has of the rows for which nothing is known yet. */
  find({ keys, rows, without }: RowsByKey, into: CopiedRows): void {
    const filter = this.#filter;
    const mask = filter.length - 1;
    for (let row = 0, at = 0; row < rows; row++, at += KEY_WORDS) {
      const bits = filterBits(keys[at + 2] as number);
      if (((filter[(keys[at + 1] as number) & mask] as number) & bits) !== bits) continue;
      if (into.has(row) || without.has(row)) continue;
      const bucket = (keys[at] as number) >>> this.#shift;
      const begin = this.#buckets[bucket] as number;
      const end = this.#buckets[bucket + 1] as number;
      if (this.#file !== undefined) this.#findInFile(keys, row, into, begin, end, this.#file);
      else this.#findInSlabs(keys, row, into, begin, end);
    }
  }

  #findInSlabs(keys: Int32Array, row: number, into: CopiedRows, begin: number, end: number): void {
    for (let place = begin; place < end; place++) {
      const address = this.#addresses[place] as number;
      const words = this.#slabs[address >>> SLAB_BITS] as Int32Array;
      if (copyIfEqual(words, address & (SLAB_WORDS - 1), keys, row, into)) return;
    }
  }

  #findInFile(
    keys: Int32Array,
    row: number,
    into: CopiedRows,
    begin: number,
    end: number,
    file: SpillFile,
  ): void {
    if (begin === end) return;
    const words = file.block(end - begin, this.#at + (begin >>> 0) * WORD_BYTES);
    for (let at = 0; at < end - begin; at += entrySize(words, at))
      if (copyIfEqual(words, at, keys, row, into)) return;
  }
}

/** Three of 32 bits, by a word of a key. */
const filterBits = (word: number): number => (1 << word) | (1 << (word >>> 5)) | (1 << (word >>> 10));

/**
 * Writes entries in the order of their addresses.
 *
 * @param buckets where each begins among them; then in words of what is written
 * @returns where in the file that is
 */
function writeEntries(
  slabs: readonly Int32Array[],
  addresses: Int32Array,
  buckets: Int32Array,
  file: SpillFile,
): number {
  const start = file.size;
  let piece = new Int32Array(SLAB_WORDS);
  let [used, written, place] = [0, 0, 0];
  for (let bucket = 0; bucket < buckets.length; bucket++) {
    const end = buckets[bucket] as number;
    for (; place < end; place++) {
      const address = addresses[place] as number;
      const words = slabs[address >>> SLAB_BITS] as Int32Array;
      const at = address & (SLAB_WORDS - 1);
      const size = entrySize(words, at);
      if (used + size > piece.length) {
        file.append(piece.subarray(0, used));
        written += used;
        used = 0;
        if (size > piece.length) piece = new Int32Array(size);
      }
      for (let word = 0; word < size; word++) piece[used + word] = words[at + word] as number;
      used += size;
    }
    buckets[bucket] = written + used;
  }
  file.append(piece.subarray(0, used));
  return start;
}

/** A temporary file without a name, so that it is gone with the process, however that ends. */
class SpillFile {
  readonly #fd = withReason(openUnnamed);
  #block = new Int32Array(1 << 10);
  /** In bytes. */
  size = 0;

  /** @throws RowcastError `disk_full`, `unwritable_output` */
  append(words: Int32Array): void {
    const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
    withReason(() => {
      for (let done = 0; done < bytes.length; )
        done += writeSync(this.#fd, bytes, done, bytes.length - done, this.size + done);
    });
    this.size += bytes.length;
  }

  /** Reads a few words, which are overwritten by the next call. @throws RowcastError `unwritable_output` */
  block(words: number, at: number): Int32Array {
    if (words > this.#block.length) this.#block = new Int32Array(2 * words);
    const bytes = new Uint8Array(this.#block.buffer, 0, words * WORD_BYTES);
    for (let done = 0; done < bytes.length; ) {
      const read = withReason(() => readSync(this.#fd, bytes, done, bytes.length - done, at + done));
      if (read === 0) throw new Error('the temporary file for --reuse ends too early');
      done += read;
    }
    return this.#block;
  }

  close(): void {
    closeSync(this.#fd);
  }
}

function withReason<T>(access: () => T): T {
  try {
    return access();
  } catch (cause) {
    const message = `cannot keep earlier predictions in a temporary file: ${reasonOf(cause)}`;
    if (isDiskFull(cause)) throw diskFull(message, tmpdir(), cause as NodeJS.ErrnoException);
    throw new RowcastError('unwritable_output', message, {
      severity: 'stopped',
      location: { file: tmpdir() },
      hint: 'Name another folder with the variable TMPDIR, or give --reuse-memory more.',
      cause,
    });
  }
}

/** Copies the bytes of an entry to a row if it has its key. */
function copyIfEqual(
  words: Int32Array,
  entry: number,
  keys: Int32Array,
  row: number,
  into: CopiedRows,
): boolean {
  if (!hasKey(words, entry, keys, row * KEY_WORDS)) return false;
  const start = words.byteOffset + (entry + HEAD_WORDS) * WORD_BYTES;
  const bytes = new Uint8Array(words.buffer, start, words[entry + KEY_WORDS]);
  into.add(row, bytes, 0, bytes.length);
  return true;
}

function hasKey(words: Int32Array, entry: number, keys: Int32Array, at: number): boolean {
  return (
    words[entry] === keys[at] &&
    words[entry + 1] === keys[at + 1] &&
    words[entry + 2] === keys[at + 2] &&
    words[entry + 3] === keys[at + 3]
  );
}

const entrySize = (words: Int32Array, at: number): number =>
  HEAD_WORDS + (((words[at + KEY_WORDS] as number) + 3) >> 2);
