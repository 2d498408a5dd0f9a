import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CopiedRows } from '../../scoring/reuse/copied-rows.ts';
import { KEY_WORDS } from '../../scoring/reuse/row-keys.ts';

/** Parts of the table, by the last byte of a key: each is put in order on its own. */
const PARTS = 256;
/** An entry is its key, the length of its bytes, and its bytes, filled up to whole words. */
const HEAD_WORDS = KEY_WORDS + 1;
const WORD_BYTES = 4;
const FIRST_WORDS = 1 << 4;
/** About so many words are looked through for an entry. */
const BLOCK_WORDS = 1 << 6;
/** Entries of a part, so that the first word of a key and the number of an entry are one exact number. */
const MAX_ENTRIES = 2 ** 21;

/**
 * All rows of an earlier output by key, in parts that are sorted when all are there. What does not fit into the memory
 * is in a temporary file, of which a block is read for each row. The first of several rows with a key counts.
 */
export class HashedRows {
  readonly #parts = Array.from({ length: PARTS }, () => new Part());
  readonly #maxBytes: number;
  #bytes = 0;
  #rows = 0;
  /** Two bits for each row, among eight times as many: most rows that are not there are not looked for. */
  #filter = new Int32Array(1);
  #file: SpillFile | undefined;

  /** @param maxBytes memory for the table */
  constructor(maxBytes: number) {
    // The rest is for growing and sorting.
    this.#maxBytes = 0.75 * maxBytes;
  }

  add(keys: Int32Array, row: number, from: Buffer, start: number, end: number): void {
    this.#rows++;
    const file = this.#file;
    this.#bytes += this.#partOf(keys, row).add(keys, row * KEY_WORDS, { from, start, end }, file);
    // From then on, the parts keep their memory, and write it to the file when it is full.
    if (file === undefined && this.#bytes > this.#maxBytes) this.#spill();
  }

  /** No row is added any more. */
  end(): void {
    if (this.#file !== undefined) this.#spill();
    this.#filter = new Int32Array(1 << (32 - Math.clz32(this.#rows >> 2)));
    const mask = this.#filter.length - 1;
    for (const part of this.#parts)
      part.sort(this.#file, (first, second) => {
        (this.#filter[(first >>> 5) & mask] as number) |= 1 << first;
        (this.#filter[(second >>> 5) & mask] as number) |= 1 << second;
      });
  }

  find(keys: Int32Array, row: number, into: CopiedRows): void {
    const filter = this.#filter;
    const mask = filter.length - 1;
    const at = row * KEY_WORDS;
    const [first, second] = [keys[at + 1] as number, keys[at + 2] as number];
    if ((((filter[(first >>> 5) & mask] as number) >>> first) & 1) === 0) return;
    if ((((filter[(second >>> 5) & mask] as number) >>> second) & 1) === 0) return;
    this.#partOf(keys, row).find(keys, at, into, row, this.#file);
  }

  close(): void {
    this.#file?.close();
  }

  #partOf(keys: Int32Array, row: number): Part {
    return this.#parts[(keys[row * KEY_WORDS + KEY_WORDS - 1] as number) & (PARTS - 1)] as Part;
  }

  #spill(): void {
    this.#file ??= new SpillFile();
    for (const part of this.#parts) part.spill(this.#file);
  }
}

/** A temporary file without a name, so that it is gone with the process, however that ends. */
class SpillFile {
  readonly #folder = mkdtempSync(join(tmpdir(), 'rowcast-reuse-'));
  readonly #fd = openSync(join(this.#folder, 'rows'), 'wx+', 0o600);
  #size = 0;
  #block = new Int32Array(1 << 10);

  constructor() {
    if (process.platform !== 'win32') this.#remove();
  }

  /** @returns where the words are */
  append(words: Int32Array): number {
    const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
    const at = this.#size;
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.#fd, bytes, done, bytes.length - done, at + done);
    this.#size += bytes.length;
    return at;
  }

  /** Reads a few words, which are overwritten by the next call. */
  block(words: number, at: number): [Int32Array<ArrayBuffer>, Uint8Array<ArrayBuffer>] {
    if (words > this.#block.length) this.#block = new Int32Array(2 * words);
    this.read(this.#block.subarray(0, words), at);
    return [this.#block, new Uint8Array(this.#block.buffer)];
  }

  /** Fills words with those at an offset. */
  read(words: Int32Array, at: number): void {
    const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
    for (let done = 0; done < bytes.length; ) {
      const read = readSync(this.#fd, bytes, done, bytes.length - done, at + done);
      if (read === 0) throw new Error('the temporary file for --reuse ends too early');
      done += read;
    }
  }

  close(): void {
    closeSync(this.#fd);
    this.#remove();
  }

  #remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** A part of the table. */
class Part {
  #words = new Int32Array(FIRST_WORDS);
  #bytes = new Uint8Array(this.#words.buffer);
  #length = 0;
  #entries = 0;
  /** Entries by a byte of their keys, so that what occurs very often is there only a few times. */
  readonly #recent = new Int32Array(256).fill(-1);
  /** Where entries were written, in order: offset in the file, and words. */
  #extents: { at: number; words: number }[] = [];
  /** Of the sorted entries: the first word of each block's first key, and where the block begins. */
  #firsts = new Int32Array();
  #blocks = new Int32Array();
  /** Where the sorted entries are in the file. */
  #at = 0;

  /** @returns bytes of memory that it takes in addition */
  add(
    keys: Int32Array,
    at: number,
    { from, start, end }: { from: Buffer; start: number; end: number },
    file: SpillFile | undefined,
  ): number {
    const recent = (keys[at + 1] as number) & 255;
    if (hasKey(this.#words, this.#recent[recent] as number, keys, at)) return 0;
    const length = end - start;
    const size = HEAD_WORDS + Math.ceil(length / WORD_BYTES);
    const before = this.#words.length;
    if (file !== undefined && this.#length + size > before) this.spill(file);
    this.#recent[recent] = this.#length;
    this.#entries++;
    const next = this.#length + size;
    if (next > before) {
      const larger = new Int32Array(Math.max(next, before + (before >> 1)));
      larger.set(this.#words);
      this.#set(larger);
    }
    const words = this.#words;
    for (let word = 0; word < KEY_WORDS; word++) words[this.#length + word] = keys[at + word] as number;
    words[this.#length + KEY_WORDS] = length;
    const to = (this.#length + HEAD_WORDS) * WORD_BYTES;
    for (let index = 0; index < length; index++) this.#bytes[to + index] = from[start + index] as number;
    this.#length = next;
    return (words.length - before) * WORD_BYTES;
  }

  /** Writes its entries to the file, and forgets them. */
  spill(file: SpillFile): void {
    const words = this.#words.subarray(0, this.#length);
    if (words.length > 0) this.#extents.push({ at: file.append(words), words: words.length });
    this.#length = 0;
    this.#recent.fill(-1);
  }

  #set(words: Int32Array<ArrayBuffer>): void {
    this.#words = words;
    this.#bytes = new Uint8Array(words.buffer);
  }

  /**
   * Puts its entries in the order of their keys: in memory, or once more in the file if there is one.
   *
   * @param each is called with two words of each key
   */
  sort(file: SpillFile | undefined, each: (first: number, second: number) => void): void {
    const words = file === undefined ? this.#words.subarray(0, this.#length) : this.#readBack(file);
    const count = this.#entries;
    if (count >= MAX_ENTRIES) throw new RangeError('there are too many rows to reuse');
    const entries = new Int32Array(count);
    const order = new Float64Array(count);
    for (let at = 0, index = 0; index < count; at += entrySize(words, at), index++) {
      entries[index] = at;
      order[index] = ((words[at] as number) + 2 ** 31) * MAX_ENTRIES + index;
    }
    order.sort();
    const sorted = new Int32Array(words.length);
    const [firsts, blocks]: [number[], number[]] = [[], []];
    let to = 0;
    let last: number | undefined;
    for (const numbered of order) {
      const at = entries[numbered % MAX_ENTRIES] as number;
      const first = words[at] as number;
      each(words[at + 1] as number, words[at + 2] as number);
      // Keys with the same first word are in the same block.
      if (first !== last && to - (blocks.at(-1) ?? Number.NEGATIVE_INFINITY) >= BLOCK_WORDS) {
        firsts.push(first);
        blocks.push(to);
      }
      last = first;
      const size = entrySize(words, at);
      for (let word = at; word < at + size; word++) sorted[to++] = words[word] as number;
    }
    this.#firsts = Int32Array.from(firsts);
    this.#blocks = Int32Array.from([...blocks, to]);
    if (file !== undefined) this.#at = file.append(sorted);
    this.#set(file === undefined ? sorted : new Int32Array());
  }

  find(keys: Int32Array, at: number, into: CopiedRows, row: number, file: SpillFile | undefined): void {
    const first = keys[at] as number;
    let [low, high] = [0, this.#firsts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#firsts[middle] as number) <= first) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return;
    let entry = this.#blocks[low - 1] as number;
    let end = this.#blocks[low] as number;
    let [words, bytes] = [this.#words, this.#bytes];
    if (file !== undefined) {
      [words, bytes] = file.block(end - entry, this.#at + entry * WORD_BYTES);
      end -= entry;
      entry = 0;
    }
    for (; entry < end && (words[entry] as number) <= first; entry += entrySize(words, entry)) {
      if (words[entry] !== first || !hasKey(words, entry, keys, at)) continue;
      const start = (entry + HEAD_WORDS) * WORD_BYTES;
      into.add(row, bytes, start, start + (words[entry + KEY_WORDS] as number));
      return;
    }
  }

  #readBack(file: SpillFile): Int32Array {
    const words = new Int32Array(this.#extents.reduce((sum, extent) => sum + extent.words, 0));
    let length = 0;
    for (const extent of this.#extents) {
      file.read(words.subarray(length, length + extent.words), extent.at);
      length += extent.words;
    }
    this.#extents = [];
    return words;
  }
}

function hasKey(words: Int32Array, entry: number, keys: Int32Array, at: number): boolean {
  for (let word = 0; word < KEY_WORDS; word++) if (words[entry + word] !== keys[at + word]) return false;
  return true;
}

const entrySize = (words: Int32Array, at: number): number =>
  HEAD_WORDS + (((words[at + KEY_WORDS] as number) + 3) >> 2);
