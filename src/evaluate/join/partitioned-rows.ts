import { closeSync, readSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { RowcastError } from '../../base/errors.ts';
import { isDiskFull, reasonOf } from '../../base/system-error.ts';
import { copyBytes, type WordView, wordView } from '../../formats/bytes/word-view.ts';
import { openUnnamed } from '../../storage/local/unnamed-file.ts';
import { diskFull } from '../../storage/target.ts';
import { hashKeys, type KeyedRows } from './keyed-rows.ts';

/** The number of parts into which rows are divided. */
export const PARTITIONS = 32;

/** Bytes that are written at once. */
const BLOCK_BYTES = 64 << 10;
const DOUBLE_BYTES = Float64Array.BYTES_PER_ELEMENT;

/** Whole rows of a part, of which the file has this many bytes there. */
interface Block {
  at: number;
  bytes: number;
  rows: number;
}

interface Partition {
  into: WordView;
  /** Bytes and rows that are not written yet. */
  used: number;
  rows: number;
  blocks: Block[];
}

/**
 * Rows in a temporary file without a name, in parts that are read one after the other. The system removes the file
 * however the process ends. A row is the size of its key as four bytes, its numbers, and its key.
 */
export class PartitionedRows {
  readonly #width: number;
  readonly #parts: Partition[];
  #file: number | undefined;
  #size = 0;

  /** @param width numbers of each row */
  constructor(width: number) {
    this.#width = width;
    this.#parts = Array.from({ length: PARTITIONS }, () => ({
      into: wordView(Buffer.alloc(0)),
      used: 0,
      rows: 0,
      blocks: [],
    }));
  }

  /** Adds a row to a part. @throws RowcastError `disk_full`, `unwritable_output` */
  add(
    partition: number,
    words: WordView,
    start: number,
    end: number,
    numbers: Float64Array,
    at: number,
  ): void {
    const part = this.#parts[partition] as Partition;
    const bytes = 4 + this.#width * DOUBLE_BYTES + end - start;
    if (part.used + bytes > part.into.bytes.length) this.#write(part);
    if (bytes > part.into.bytes.length)
      part.into = wordView(Buffer.allocUnsafeSlow(Math.max(bytes, BLOCK_BYTES)));
    const { view } = part.into;
    view.setInt32(part.used, end - start, true);
    let to = part.used + 4;
    for (let index = 0; index < this.#width; index++, to += DOUBLE_BYTES)
      view.setFloat64(to, numbers[at + index] as number, true);
    part.used = copyBytes(words, start, end, part.into, to);
    part.rows++;
  }

  /** The rows of a part, in their order, some at a time; those are overwritten by the next ones. */
  *rowsOf(partition: number): Generator<KeyedRows> {
    const part = this.#parts[partition] as Partition;
    this.#write(part);
    for (const { at, bytes, rows } of part.blocks) {
      const { bytes: block, view } = part.into;
      this.#each(() => readSync(this.#file as number, block, 0, bytes, at)); // it was written to it
      const [starts, ends] = [new Int32Array(rows), new Int32Array(rows)];
      const numbers = new Float64Array(rows * this.#width);
      for (let row = 0, from = 0; row < rows; row++) {
        const length = view.getInt32(from, true);
        from += 4;
        for (let index = 0; index < this.#width; index++, from += DOUBLE_BYTES)
          numbers[row * this.#width + index] = view.getFloat64(from, true);
        starts[row] = from;
        from += length;
        ends[row] = from;
      }
      const keys = { rows, words: part.into, starts, ends, hashes: new Int32Array(rows) };
      hashKeys(keys);
      yield { ...keys, numbers };
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #write(part: Partition): void {
    if (part.rows === 0) return;
    const { into, used: bytes, rows } = part;
    this.#each(() => {
      this.#file ??= openUnnamed();
      for (let done = 0; done < bytes; )
        done += writeSync(this.#file, into.bytes, done, bytes - done, this.#size + done);
    });
    part.blocks.push({ at: this.#size, bytes, rows });
    this.#size += bytes;
    part.used = 0;
    part.rows = 0;
  }

  #each(access: () => void): void {
    try {
      access();
    } catch (cause) {
      const error = cause as NodeJS.ErrnoException; // functions of node:fs throw no others
      const message = `cannot keep rows in a temporary file: ${reasonOf(error)}`;
      if (isDiskFull(error)) throw diskFull(message, tmpdir(), error);
      throw new RowcastError('unwritable_output', message, {
        location: { file: tmpdir() },
        hint: 'Name another folder with the variable TMPDIR.',
        cause,
      });
    }
  }
}
