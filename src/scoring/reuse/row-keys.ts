import { randomBytes } from 'node:crypto';
import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { wordView } from '../../formats/bytes/word-view.ts';
import type { Batch } from '../../formats/records/batch.ts';
import type { Fields, PlacedRecords } from '../../formats/records/fields.ts';

/** Words of a key: 128 bits. */
export const KEY_WORDS = 4;

/** The well-formed rows of a batch by their keys. */
export interface RowsByKey {
  /** `KEY_WORDS` for each row. */
  readonly keys: Int32Array;
  readonly rows: number;
  /** The number of the first one in the input. */
  readonly firstRow: number;
  /** Rows that have nothing to be found by. */
  readonly without: ReadonlyMap<number, unknown>;
}

const WORD_BYTES = 4;
/** Words before the columns of what a kernel hashes (assembly/hash-rows.ts). */
const HASHED_WORDS = 11;
const QUOTE = 0x22;
const IS_TEXT = 1 << 31;

/**
 * The keys of rows: rows whose sent values are the same have the same key, and others do not, but for a chance of 2^-128
 * for two rows. The values are hashed as they are in the file, with their lengths, and whether each is a text where
 * values have types of their own; what is sent depends on nothing else of a row. Two values that are sent alike and
 * written differently (1.5 and 1.50 as numbers) have different keys, so such a row is only sent again.
 *
 * The hash is HalfSipHash-1-3 (https://github.com/veorq/SipHash) with 64 bits, twice with different secrets. These are
 * random in each process and leave it nowhere, so nobody can make rows whose keys collide; without a secret, as in
 * MurmurHash, somebody could get the prediction of another row. SHA-256 takes five times as long (test/bench/RESULTS.md).
 */
export class RowKeys {
  readonly #secret = Int32Array.from({ length: 4 }, () => randomBytes(4).readInt32LE());
  #words = new Int32Array(64);

  /**
   * Takes memory for the keys of a batch, before its fields are found there.
   *
   * @param columns indexes of the values that are sent
   * @returns where `keysOf` is to put them
   */
  reserve(memory: BatchMemory, { ends }: Pick<Batch, 'ends'>, columns: readonly number[]): number {
    return memory.reserve((HASHED_WORDS + columns.length + ends.length * KEY_WORDS) * WORD_BYTES);
  }

  /**
   * @param columns indexes of the values that are sent
   * @param reserved memory for the keys of this batch: a kernel finds them, if its fields are there
   * @returns `KEY_WORDS` for each row; in that memory they are overwritten by the next batch
   */
  keysOf(fields: Fields, columns: readonly number[], reserved?: number): Int32Array {
    if (reserved !== undefined && isInKernel(fields)) return this.#inKernel(fields, columns, reserved);
    const keys = new Int32Array(fields.rows * KEY_WORDS);
    const { view } = wordView(fields.bytes);
    for (let row = 0; row < fields.rows; row++) {
      const count = this.#collect(fields, view, row * fields.width, columns);
      this.#hash(count, keys, row * KEY_WORDS);
    }
    return keys;
  }

  #inKernel(
    { placed, bytes, starts, ends, rows, width, isTyped = false }: FieldsInKernel,
    columns: readonly number[],
    at: number,
  ): Int32Array {
    const words = HASHED_WORDS + columns.length;
    const offsets = columns.map(column => column * WORD_BYTES);
    new Int32Array(starts.buffer, at, words).set([
      ...[bytes.byteOffset, starts.byteOffset, ends.byteOffset, width * WORD_BYTES],
      ...[rows, Number(isTyped), columns.length, ...this.#secret, ...offsets],
    ]);
    placed.kernel.hashRows(at);
    return new Int32Array(starts.buffer, at + words * WORD_BYTES, rows * KEY_WORDS);
  }

  /** Copies the values of a row, each after its length, and filled up with zeros to whole words. */
  #collect(
    { bytes, starts, ends, isTyped = false }: Fields,
    view: DataView,
    first: number,
    columns: readonly number[],
  ): number {
    let words = this.#words;
    let count = 0;
    for (let place = 0; place < columns.length; place++) {
      const index = first + (columns[place] as number);
      const start = starts[index] as number;
      const length = (ends[index] as number) - start;
      if (count + (length >> 2) + 2 > words.length) {
        words = new Int32Array(2 * (count + (length >> 2) + 2));
        words.set(this.#words);
        this.#words = words;
      }
      words[count++] = isTyped && bytes[start - 1] === QUOTE ? length | IS_TEXT : length;
      const whole = start + (length & ~3);
      let at = start;
      for (; at < whole; at += 4) words[count++] = view.getInt32(at, true);
      if (at === start + length) continue;
      let rest = 0;
      for (let shift = 0; at < start + length; at++, shift += 8) rest |= (bytes[at] as number) << shift;
      words[count++] = rest;
    }
    return count;
  }

  /** Hashes the first words, with both secrets at once. */
  #hash(count: number, keys: Int32Array, at: number): void {
    const words = this.#words;
    const secret = this.#secret;
    const [k0, k1] = [secret[0] as number, secret[1] as number];
    const [l0, l1] = [secret[2] as number, secret[3] as number];
    let [v0, v1, v2, v3] = [k0, k1 ^ 0xee, 0x6c796765 ^ k0, 0x74656462 ^ k1];
    let [w0, w1, w2, w3] = [l0, l1 ^ 0xee, 0x6c796765 ^ l0, 0x74656462 ^ l1];
    // After the words comes their number; then the rounds that finish.
    for (let index = 0; index <= count + 6; index++) {
      const word = index < count ? (words[index] as number) : index === count ? count << 26 : 0;
      if (index === count + 1) {
        v2 ^= 0xee;
        w2 ^= 0xee;
      } else if (index === count + 4) {
        keys[at] = v1 ^ v3;
        keys[at + 2] = w1 ^ w3;
        v1 ^= 0xdd;
        w1 ^= 0xdd;
      }
      v3 ^= word;
      w3 ^= word;
      v0 = (v0 + v1) | 0;
      w0 = (w0 + w1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      w1 = ((w1 << 5) | (w1 >>> 27)) ^ w0;
      v0 = (v0 << 16) | (v0 >>> 16);
      w0 = (w0 << 16) | (w0 >>> 16);
      v2 = (v2 + v3) | 0;
      w2 = (w2 + w3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      w3 = ((w3 << 8) | (w3 >>> 24)) ^ w2;
      v0 = (v0 + v3) | 0;
      w0 = (w0 + w3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      w3 = ((w3 << 7) | (w3 >>> 25)) ^ w0;
      v2 = (v2 + v1) | 0;
      w2 = (w2 + w1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      w1 = ((w1 << 13) | (w1 >>> 19)) ^ w2;
      v2 = (v2 << 16) | (v2 >>> 16);
      w2 = (w2 << 16) | (w2 >>> 16);
      v0 ^= word;
      w0 ^= word;
    }
    keys[at + 1] = v1 ^ v3;
    keys[at + 3] = w1 ^ w3;
  }
}

type FieldsInKernel = Fields & { readonly placed: PlacedRecords };

/** Whether the bytes and the offsets of all fields are in the memory of the kernel. */
const isInKernel = (fields: Fields): fields is FieldsInKernel =>
  fields.placed !== undefined &&
  fields.bytes.byteOffset === fields.placed.bytes &&
  fields.bytes.buffer === fields.starts.buffer;
