import { randomBytes } from 'node:crypto';
import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
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
const HASHED_WORDS = 13;
/** Memory behind the values of a row, which a kernel copies 16 bytes at a time. */
const PADDING = 32;
const QUOTE = 0x22;
const IS_TEXT = 1 << 31;

/**
 * The keys of rows: rows whose sent values are the same have the same key, and others do not, but for a chance of 2^-128
 * for two rows. The values are hashed as they are in the file, with their lengths, and whether each is a text where
 * values have types of their own; what is sent depends on nothing else of a row. Two values that are sent alike and
 * written differently (1.5 and 1.50 as numbers) have different keys, so such a row is only sent again.
 *
 * The hash is SipHash-1-3 with 128 bits (https://github.com/veorq/SipHash), of the lengths and then the values, filled
 * up with zeros to whole words, without its last word: the lengths tell where a row ends. Its secret is random in each
 * process and leaves it nowhere, so nobody can make rows whose keys collide; without a secret, as in MurmurHash,
 * somebody could get the prediction of another row. SHA-256 takes many times as long (test/bench/RESULTS.md).
 */
export class RowKeys {
  readonly #secret = Int32Array.from({ length: 4 }, () => randomBytes(4).readInt32LE());
  #values = Buffer.alloc(1 << 8);

  /**
   * Takes memory for the keys of a batch, before its fields are found there.
   *
   * @param columns indexes of the values that are sent
   * @returns where `keysOf` is to put them
   */
  reserve(
    memory: BatchMemory,
    { ends, bytes }: Pick<Batch, 'ends' | 'bytes'>,
    columns: readonly number[],
  ): number {
    const words = HASHED_WORDS + 2 * columns.length + ends.length * KEY_WORDS;
    return memory.reserve(words * WORD_BYTES + bytes.length + PADDING);
  }

  /**
   * @param columns indexes of the values that are sent
   * @param reserved memory for the keys of this batch: a kernel finds them, if its fields are there
   * @returns `KEY_WORDS` for each row; in that memory they are overwritten by the next batch
   */
  keysOf(fields: Fields, columns: readonly number[], reserved?: number): Int32Array {
    if (reserved !== undefined && isInKernel(fields)) return this.#inKernel(fields, columns, reserved);
    const keys = new Int32Array(fields.rows * KEY_WORDS);
    for (let row = 0; row < fields.rows; row++)
      keys.set(sipHash(this.#secret, this.#collect(fields, row * fields.width, columns)), row * KEY_WORDS);
    return keys;
  }

  #inKernel(
    { placed, bytes, starts, ends, rows, width, isTyped = false }: FieldsInKernel,
    columns: readonly number[],
    at: number,
  ): Int32Array {
    const words = HASHED_WORDS + columns.length;
    const keysAt = at + words * WORD_BYTES;
    const valuesAt = keysAt + rows * KEY_WORDS * WORD_BYTES;
    const hashed = new Int32Array(starts.buffer, at, words);
    hashed.set(this.#secret);
    hashed[4] = bytes.byteOffset;
    hashed[5] = starts.byteOffset;
    hashed[6] = ends.byteOffset;
    hashed[7] = width * WORD_BYTES;
    hashed[8] = rows;
    hashed[9] = Number(isTyped);
    hashed[10] = columns.length;
    hashed[11] = keysAt;
    hashed[12] = valuesAt;
    for (let place = 0; place < columns.length; place++)
      hashed[HASHED_WORDS + place] = (columns[place] as number) * WORD_BYTES;
    placed.kernel.hashRows(at);
    return new Int32Array(starts.buffer, keysAt, rows * KEY_WORDS);
  }

  /** Copies the lengths of the values of a row, then the values, filled up with zeros. */
  #collect(
    { bytes, starts, ends, isTyped = false }: Fields,
    first: number,
    columns: readonly number[],
  ): Buffer {
    let to = columns.length * WORD_BYTES;
    for (let place = 0; place < columns.length; place++) {
      const index = first + (columns[place] as number);
      const start = starts[index] as number;
      const end = ends[index] as number;
      while (to + end - start + PADDING > this.#values.length)
        this.#values = Buffer.concat([this.#values, Buffer.alloc(this.#values.length)]);
      const isText = isTyped && bytes[start - 1] === QUOTE;
      this.#values.writeInt32LE(end - start + (isText ? IS_TEXT : 0), place * WORD_BYTES);
      to += bytes.copy(this.#values, to, start, end);
    }
    const whole = Math.ceil(to / 8) * 8;
    return this.#values.fill(0, to, whole).subarray(0, whole);
  }
}

/** Words of the state: of each of the four numbers of 64 bits, the low and the high half. */
const INITIAL = [
  0x70736575, 0x736f6d65, 0x6e646f6d, 0x646f7261, 0x6e657261, 0x6c796765, 0x79746573, 0x74656462,
];

/** @param values whole words of 64 bits */
function sipHash(secret: Int32Array, values: Buffer): Int32Array {
  const v = Int32Array.from(INITIAL, (word, at) => word ^ (secret[at & 3] as number));
  const key = new Int32Array(KEY_WORDS);
  const xor = (at: number, low: number, high = 0): void => {
    (v[at] as number) ^= low;
    (v[at + 1] as number) ^= high;
  };
  const add = (to: number, from: number): void => {
    const low = ((v[to] as number) + (v[from] as number)) | 0;
    const carry = low >>> 0 < (v[from] as number) >>> 0 ? 1 : 0;
    v[to] = low;
    (v[to + 1] as number) += (v[from + 1] as number) + carry;
  };
  /** Turns a number to the left by less than 32 bits. */
  const turn = (at: number, bits: number): void => {
    const [low, high] = [v[at] as number, v[at + 1] as number];
    v[at] = (low << bits) | (high >>> (32 - bits));
    v[at + 1] = (high << bits) | (low >>> (32 - bits));
  };
  const mix = (one: number, other: number, bits: number): void => {
    add(one, other);
    turn(other, bits);
    xor(other, v[one] as number, v[one + 1] as number);
  };
  const swap = (at: number): void => {
    [v[at], v[at + 1]] = [v[at + 1] as number, v[at] as number];
  };
  const round = (): void => {
    mix(0, 2, 13);
    swap(0);
    mix(4, 6, 16);
    mix(0, 6, 21);
    mix(4, 2, 17);
    swap(4);
  };
  xor(2, 0xee);
  for (let at = 0; at < values.length; at += 8) {
    const [low, high] = [values.readInt32LE(at), values.readInt32LE(at + 4)];
    xor(6, low, high);
    round();
    xor(0, low, high);
  }
  xor(4, 0xee);
  for (let half = 0; half < 2; half++) {
    for (let count = 0; count < 3; count++) round();
    for (let word = 0; word < 2; word++)
      for (let at = word; at < 8; at += 2) (key[2 * half + word] as number) ^= v[at] as number;
    xor(2, 0xdd);
  }
  return key;
}

type FieldsInKernel = Fields & { readonly placed: PlacedRecords };

/** Whether the bytes and the offsets of all fields are in the memory of the kernel. */
const isInKernel = (fields: Fields): fields is FieldsInKernel =>
  fields.placed !== undefined &&
  fields.bytes.byteOffset === fields.placed.bytes &&
  fields.bytes.buffer === fields.starts.buffer;
