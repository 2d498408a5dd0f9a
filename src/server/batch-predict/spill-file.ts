import { randomBytes } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/** The file grows by blocks; blocks that were read completely are reused first. */
const BLOCK_BYTES = 256 << 10;

/** A spill file's share of the disk space. */
export interface SpillSpace {
  /** Called before the file grows. @throws if there is no room */
  take(bytes: number): void;
  /** Called once, when the file is closed. */
  release(): void;
}

/**
 * A first-in, first-out buffer on disk, of bounded size; the file is never larger than the most that was buffered at
 * once. It is readable by its owner only, and unlinked right after it is opened, so nothing remains when the process
 * ends.
 */
export class SpillFile {
  readonly #file: FileHandle;
  readonly #space: SpillSpace;
  /** The maximum number of blocks, and how many the file has. */
  readonly #most: number;
  #count = 0;
  /** Blocks that were read completely. */
  readonly #empty: number[] = [];
  /** Blocks with unread bytes, in order; only the last may be partly filled. */
  readonly #waiting: number[] = [];
  /** Bytes read from the first block, and bytes written to the last. */
  #taken = 0;
  #put = 0;

  private constructor(file: FileHandle, capacity: number, space: SpillSpace) {
    this.#file = file;
    this.#space = space;
    this.#most = Math.max(1, Math.floor(capacity / BLOCK_BYTES));
  }

  /** @throws NodeJS.ErrnoException if the folder cannot be written */
  static async open(folder: string, capacity: number, space: SpillSpace): Promise<SpillFile> {
    const path = join(folder, `.spill-${randomBytes(6).toString('hex')}`);
    const file = await open(path, 'wx+', 0o600);
    await unlink(path);
    return new SpillFile(file, capacity, space);
  }

  /** Unread bytes. */
  get size(): number {
    return this.#waiting.length === 0
      ? 0
      : (this.#waiting.length - 1) * BLOCK_BYTES + this.#put - this.#taken;
  }

  /** Bytes that may still be written. */
  get room(): number {
    const rest = this.#waiting.length === 0 ? 0 : BLOCK_BYTES - this.#put;
    return (this.#most - this.#waiting.length) * BLOCK_BYTES + rest;
  }

  /**
   * Writes bytes, for which there must be room.
   *
   * @throws NodeJS.ErrnoException, or what `SpillSpace.take` throws
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

  /** Reads and removes the oldest bytes, at most one block. Returns an empty buffer if nothing is stored. */
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
