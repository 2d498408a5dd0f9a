import { randomBytes } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/** The file grows by blocks; one whose bytes were taken is used again before that. */
const BLOCK_BYTES = 256 << 10;

/** The disk that spill files share. */
export interface SpillSpace {
  /** Called before the file grows. @throws where there is no room for it */
  take(bytes: number): void;
  /** Called once, when the file is closed. */
  release(): void;
}

/**
 * Bytes that wait on disk, first in, first out, in a file of bounded size, which is no longer than what waited at most
 * so far. The file is its owner's alone and has no name from the beginning, so nothing is left of it when the process ends.
 */
export class SpillFile {
  readonly #file: FileHandle;
  readonly #space: SpillSpace;
  /** Blocks that the file may have, and has. */
  readonly #most: number;
  #count = 0;
  /** Blocks of which all was taken. */
  readonly #empty: number[] = [];
  /** Blocks with bytes that wait, in their order; only the last may be filled in part. */
  readonly #waiting: number[] = [];
  /** Bytes taken of the first block, and put into the last. */
  #taken = 0;
  #put = 0;

  private constructor(file: FileHandle, capacity: number, space: SpillSpace) {
    this.#file = file;
    this.#space = space;
    this.#most = Math.max(1, Math.floor(capacity / BLOCK_BYTES));
  }

  /** @throws NodeJS.ErrnoException where the folder cannot be written */
  static async open(folder: string, capacity: number, space: SpillSpace): Promise<SpillFile> {
    const path = join(folder, `.spill-${randomBytes(6).toString('hex')}`);
    const file = await open(path, 'wx+', 0o600);
    await unlink(path);
    return new SpillFile(file, capacity, space);
  }

  /** Bytes that wait. */
  get size(): number {
    return this.#waiting.length === 0
      ? 0
      : (this.#waiting.length - 1) * BLOCK_BYTES + this.#put - this.#taken;
  }

  /** Bytes that may be put. */
  get room(): number {
    const rest = this.#waiting.length === 0 ? 0 : BLOCK_BYTES - this.#put;
    return (this.#most - this.#waiting.length) * BLOCK_BYTES + rest;
  }

  /**
   * Puts as many bytes as there is room for.
   *
   * @throws NodeJS.ErrnoException, or what the space throws
   */
  async put(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const block = this.#lastWithRoom();
      const length = Math.min(bytes.length - at, BLOCK_BYTES - this.#put);
      const { bytesWritten } = await this.#file.write(bytes, at, length, block * BLOCK_BYTES + this.#put);
      at += bytesWritten;
      this.#put += bytesWritten;
    }
  }

  /** Takes the bytes that were put first, those of one block at most; an empty buffer when none wait. */
  async take(): Promise<Buffer> {
    const [block] = this.#waiting;
    if (block === undefined) return Buffer.alloc(0);
    const end = this.#waiting.length === 1 ? this.#put : BLOCK_BYTES;
    const length = end - this.#taken;
    const position = block * BLOCK_BYTES + this.#taken;
    const { buffer, bytesRead } = await this.#file.read(Buffer.allocUnsafe(length), 0, length, position);
    this.#taken += bytesRead;
    if (this.#taken === BLOCK_BYTES) {
      this.#waiting.shift();
      this.#empty.push(block);
      this.#taken = 0;
    }
    return buffer.subarray(0, bytesRead);
  }

  async close(): Promise<void> {
    await this.#file.close();
    this.#space.release();
  }

  #lastWithRoom(): number {
    const last = this.#waiting.at(-1);
    if (last !== undefined && this.#put < BLOCK_BYTES) return last;
    const block = this.#empty.pop() ?? this.#grow();
    this.#waiting.push(block);
    this.#put = 0;
    return block;
  }

  #grow(): number {
    this.#space.take(BLOCK_BYTES);
    return this.#count++;
  }
}
