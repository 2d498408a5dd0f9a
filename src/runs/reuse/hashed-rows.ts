import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CopiedRows } from '../../scoring/reuse/copied-rows.ts';
import { KEY_WORDS } from '../../scoring/reuse/row-keys.ts';

/** Parts of the table, by the last byte of a key: what is not in memory is put in order one part after the other. */
const PARTS = 256;
/** An entry is its key, the length of its bytes, and its bytes, filled up to whole words. */
const HEAD_WORDS = KEY_WORDS + 1;
const WORD_BYTES = 4;
const FIRST_WORDS = 1 << 8;
/** About so many words are read to find an entry. */
const BLOCK_WORDS = 1 << 10;
/** Entries of a part, so that the first word of a key and the number of an entry are one exact number. */
const MAX_ENTRIES = 2 ** 21;

/**
 * All rows of an earlier output by key. As long as they fit into the memory, each part is a table with open addressing;
 * what does not fit is written to a temporary file, where the entries of each part are sorted in the end, so that one is
 * found by reading a block. The first of several rows with a key counts.
 */
export class HashedRows {
  readonly #parts = Array.from({ length: PARTS }, () => new Part());
  readonly #maxBytes: number;
  #bytes = 0;
  #file: SpillFile | undefined;

  /** @param maxBytes memory for the table */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes in the temporary file; 0 if all rows are in memory. */
  get spilled(): number {
    return this.#file?.size ?? 0;
  }

  add(keys: Int32Array, row: number, from: Buffer, start: number, end: number): void {
    const part = this.#partOf(keys, row);
    const before = part.memory;
    const isNew = part.add(keys, row * KEY_WORDS, from, start, end);
    if (!isNew) return;
    this.#bytes += part.memory - before;
    if (this.#bytes > this.#maxBytes) this.#spill();
  }

  /** No row is added any more. */
  end(): void {
    if (this.#file === undefined) return;
    this.#spill();
    for (const part of this.#parts) part.sort(this.#file);
  }

  find(keys: Int32Array, row: number, into: CopiedRows, as: number): void {
    this.#partOf(keys, row).find(keys, row * KEY_WORDS, into, as, this.#file);
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  #partOf(keys: Int32Array, row: number): Part {
    return this.#parts[(keys[row * KEY_WORDS + KEY_WORDS - 1] as number) & (PARTS - 1)] as Part;
  }

  #spill(): void {
    this.#file ??= new SpillFile();
    this.#bytes = 0;
    for (const part of this.#parts) {
      part.spill(this.#file);
      this.#bytes += part.memory;
    }
  }
}

/** A temporary file without a name, so that it is gone with the process, however that ends. */
class SpillFile {
  readonly #fd: number;
  readonly #folder: string;
  size = 0;

  constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), 'rowcast-reuse-'));
    this.#fd = openSync(join(this.#folder, 'rows'), 'wx+', 0o600);
    if (process.platform !== 'win32') this.#remove();
  }

  /** @returns where the words are */
  append(words: Int32Array): number {
    const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
    const at = this.size;
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.#fd, bytes, done, bytes.length - done, at + done);
    this.size += bytes.length;
    return at;
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
  #length = 0;
  #count = 0;
  /** By a part of the key, the offset of an entry and 1; 0 if there is none. */
  #slots = new Int32Array(FIRST_WORDS >> 3);
  /** Where entries were written, in order: offset in the file, and words. */
  #extents: { at: number; words: number }[] = [];
  /** Of the sorted entries: the first word of each block's first key, and where the block begins. */
  #firsts = new Int32Array();
  #blocks = new Float64Array();
  #block: { index: number; words: Int32Array } | undefined;

  /** In bytes. */
  get memory(): number {
    return this.#words.byteLength + this.#slots.byteLength;
  }

  /** @returns whether there was none with this key */
  add(keys: Int32Array, at: number, from: Buffer, start: number, end: number): boolean {
    const slot = this.#slotOf(keys, at);
    if (this.#slots[slot] !== 0) return false;
    const length = end - start;
    const next = this.#length + HEAD_WORDS + Math.ceil(length / WORD_BYTES);
    if (next > this.#words.length) this.#words = enlarged(this.#words, next);
    const words = this.#words;
    for (let word = 0; word < KEY_WORDS; word++) words[this.#length + word] = keys[at + word] as number;
    words[this.#length + KEY_WORDS] = length;
    const bytes = new Uint8Array(words.buffer, (this.#length + HEAD_WORDS) * WORD_BYTES, length);
    for (let index = 0; index < length; index++) bytes[index] = from[start + index] as number;
    this.#slots[slot] = this.#length + 1;
    this.#length = next;
    if (++this.#count > this.#slots.length * 0.6) this.#rehash();
    return true;
  }

  find(keys: Int32Array, at: number, into: CopiedRows, row: number, file: SpillFile | undefined): void {
    if (file !== undefined) this.#findInFile(keys, at, into, row, file);
    else {
      const entry = this.#slots[this.#slotOf(keys, at)] as number;
      if (entry !== 0) copyEntry(this.#words, entry - 1, into, row);
    }
  }

  /** Writes its entries to the file, and forgets them. */
  spill(file: SpillFile): void {
    if (this.#length > 0) {
      const words = this.#words.subarray(0, this.#length);
      this.#extents.push({ at: file.append(words), words: this.#length });
    }
    this.#length = 0;
    this.#count = 0;
    // Smaller ones again, so that parts do not keep all of the memory although they are empty.
    this.#words = new Int32Array(FIRST_WORDS);
    this.#slots = new Int32Array(FIRST_WORDS >> 3);
  }

  /** Writes its entries once more, in the order of their keys. */
  sort(file: SpillFile): void {
    const total = this.#extents.reduce((sum, { words }) => sum + words, 0);
    const words = new Int32Array(total);
    let length = 0;
    for (const { at, words: count } of this.#extents) {
      file.read(words.subarray(length, length + count), at);
      length += count;
    }
    const entries: number[] = [];
    for (let at = 0; at < total; at += entrySize(words, at)) entries.push(at);
    if (entries.length >= MAX_ENTRIES) throw new RangeError('there are too many rows to reuse');
    const order = Float64Array.from(
      entries,
      (at, index) => ((words[at] as number) + 2 ** 31) * MAX_ENTRIES + index,
    );
    order.sort();
    const sorted = new Int32Array(total);
    const firsts: number[] = [];
    const blocks: number[] = [];
    const start = file.size;
    let to = 0;
    let last: number | undefined;
    for (const each of order) {
      const at = entries[each % MAX_ENTRIES] as number;
      const first = words[at] as number;
      // Keys with the same first word are in the same block.
      if (first !== last && (blocks.length === 0 || to - (blocks.at(-1) as number) >= BLOCK_WORDS)) {
        firsts.push(first);
        blocks.push(to);
      }
      last = first;
      const size = entrySize(words, at);
      sorted.set(words.subarray(at, at + size), to);
      to += size;
    }
    file.append(sorted);
    this.#extents = [];
    this.#words = new Int32Array();
    this.#slots = new Int32Array();
    this.#firsts = Int32Array.from(firsts);
    this.#blocks = Float64Array.from([...blocks, to], at => start + at * WORD_BYTES);
  }

  #findInFile(keys: Int32Array, at: number, into: CopiedRows, row: number, file: SpillFile): void {
    const first = keys[at] as number;
    let [low, high] = [0, this.#firsts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#firsts[middle] as number) <= first) low = middle + 1;
      else high = middle;
    }
    const index = low - 1;
    if (index < 0) return;
    if (this.#block?.index !== index) {
      const start = this.#blocks[index] as number;
      const words = new Int32Array(((this.#blocks[index + 1] as number) - start) / WORD_BYTES);
      file.read(words, start);
      this.#block = { index, words };
    }
    const { words } = this.#block as { words: Int32Array };
    for (let entry = 0; entry < words.length; entry += entrySize(words, entry))
      if (hasKey(words, entry, keys, at)) {
        copyEntry(words, entry, into, row);
        return;
      }
  }

  /** The slot of a key, or the free one where it belongs. */
  #slotOf(keys: Int32Array, at: number): number {
    const mask = this.#slots.length - 1;
    let slot = (keys[at + 1] as number) & mask;
    for (let entry = this.#slots[slot] as number; entry !== 0; entry = this.#slots[slot] as number) {
      if (hasKey(this.#words, entry - 1, keys, at)) return slot;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #rehash(): void {
    const { length } = this.#slots;
    this.#slots = new Int32Array(2 * length);
    for (let at = 0; at < this.#length; at += entrySize(this.#words, at))
      this.#slots[this.#slotOf(this.#words, at)] = at + 1;
  }
}

/** Half as large again: doubling would leave more memory unused. */
function enlarged(words: Int32Array<ArrayBuffer>, least: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(least, words.length + (words.length >> 1)));
  larger.set(words);
  return larger;
}

const entrySize = (words: Int32Array, at: number): number =>
  HEAD_WORDS + Math.ceil((words[at + KEY_WORDS] as number) / WORD_BYTES);

const hasKey = (words: Int32Array, entry: number, keys: Int32Array, at: number): boolean =>
  words[entry] === keys[at] &&
  words[entry + 1] === keys[at + 1] &&
  words[entry + 2] === keys[at + 2] &&
  words[entry + 3] === keys[at + 3];

function copyEntry(words: Int32Array, entry: number, into: CopiedRows, row: number): void {
  const start = words.byteOffset + (entry + HEAD_WORDS) * WORD_BYTES;
  const length = words[entry + KEY_WORDS] as number;
  into.add(row, new Uint8Array(words.buffer, start, length), 0, length);
}
