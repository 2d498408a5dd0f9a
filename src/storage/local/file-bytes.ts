import type { FileHandle } from 'node:fs/promises';
import type { ByteStream } from '../source.ts';

/** Large enough that the calls cost little next to what is done with the bytes. */
const READ_BYTES = 256 << 10;
/** Enough for what is appended to a small file meanwhile. */
const SMALLEST_READ_BYTES = 4 << 10;

/**
 * The bytes of a file from an offset. They are read into the same buffer again and again: left to the garbage collector,
 * a buffer for each read would take a tenth of the time of a run with a local model.
 */
export class FileBytes implements ByteStream {
  readonly #handle: Promise<FileHandle>;
  readonly #start: number;
  readonly #end: number;
  readonly #bufferBytes: number;
  #isClosed = false;

  /**
   * @param handle closed here; if opening the file fails, so does reading it
   * @param range in bytes; `size` is what the file probably has, so that a small one is read into a small buffer
   */
  constructor(
    handle: Promise<FileHandle>,
    {
      start = 0,
      end = Number.POSITIVE_INFINITY,
      size = 0,
    }: { start?: number; end?: number | undefined; size?: number } = {},
  ) {
    this.#handle = handle;
    this.#start = start;
    this.#end = end;
    // Files of /proc have no size, and content.
    const expected = Math.min(end, size === 0 ? READ_BYTES : size) - start;
    this.#bufferBytes = Math.min(READ_BYTES, Math.max(SMALLEST_READ_BYTES, expected));
    handle.catch(() => {});
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      const handle = await this.#handle;
      const buffer = Buffer.allocUnsafeSlow(this.#bufferBytes);
      for (let position = this.#start; position < this.#end; ) {
        if (this.#isClosed) throw new Error('the file was closed before its end was read');
        const { bytesRead } = await handle.read(
          buffer,
          0,
          Math.min(buffer.length, this.#end - position),
          position,
        );
        if (bytesRead === 0) return;
        position += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      this.destroy();
    }
  }

  /** A read that is in progress ends first; a later one fails. */
  destroy(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // Nothing was written, so closing it loses nothing.
    this.#handle.then(handle => handle.close()).catch(() => {});
  }
}
