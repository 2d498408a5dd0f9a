import { randomBytes } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Bytes that wait on disk, first in, first out, in a file of bounded size: what was taken makes room. The file
 * is its owner's alone and has no name from the beginning, so nothing is left of it when the process ends.
 */
export class SpillFile {
  readonly #file: FileHandle;
  readonly #capacity: number;
  /** Bytes put and taken so far; a byte's place is its number modulo the capacity. */
  #put = 0;
  #taken = 0;

  private constructor(file: FileHandle, capacity: number) {
    this.#file = file;
    this.#capacity = capacity;
  }

  /** @throws NodeJS.ErrnoException where the folder cannot be written */
  static async open(folder: string, capacity: number): Promise<SpillFile> {
    const path = join(folder, `.spill-${randomBytes(6).toString('hex')}`);
    const file = await open(path, 'wx+', 0o600);
    await unlink(path);
    return new SpillFile(file, capacity);
  }

  /** Bytes that wait. */
  get size(): number {
    return this.#put - this.#taken;
  }

  /** Bytes that may be put. */
  get room(): number {
    return this.#capacity - this.size;
  }

  /** Puts as many bytes as there is room for. */
  async put(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const place = this.#put % this.#capacity;
      const length = Math.min(bytes.length - at, this.#capacity - place);
      const { bytesWritten } = await this.#file.write(bytes, at, length, place);
      at += bytesWritten;
      this.#put += bytesWritten;
    }
  }

  /** Takes the bytes that were put first, `most` at most; an empty buffer when none wait. */
  async take(most: number): Promise<Buffer> {
    const place = this.#taken % this.#capacity;
    const length = Math.min(most, this.size, this.#capacity - place);
    const { buffer, bytesRead } = await this.#file.read(Buffer.allocUnsafe(length), 0, length, place);
    this.#taken += bytesRead;
    return buffer.subarray(0, bytesRead);
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
