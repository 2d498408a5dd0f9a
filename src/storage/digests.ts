import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Files } from './durable-files.ts';

/** SHA-256 of a file in hex, as printed by `sha256sum`. */
export const sha256OfFile = (path: string): Promise<string> =>
  sha256OfStream(createReadStream(path, { highWaterMark: 1 << 20 }));

/** The SHA-256 of several files in their order: that of the only one, or of the lines that have one each, in hex. */
export function combinedSha256(digests: readonly string[]): string {
  const [first = ''] = digests;
  if (digests.length === 1) return first;
  const lines = digests.map(digest => `${digest}\n`);
  return createHash('sha256').update(lines.join('')).digest('hex');
}

/** SHA-256 of all bytes in hex. */
export async function sha256OfStream(chunks: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}

/** Number of bytes at the end of a file that are hashed. */
const TAIL_BYTES = 64 << 10;

/**
 * The last bytes of a file as they were written, not as read back: a file that lost them, or contains zeros instead,
 * has a different digest. Immutable, so that each point in the file can keep its own.
 */
export class Tail {
  static readonly empty = new Tail(Buffer.alloc(0));
  readonly #bytes: Buffer;

  /** @param bytes the last ones, or more; must not be modified afterwards */
  constructor(bytes: Buffer) {
    this.#bytes = endOf(bytes);
  }

  /** The tail after `bytes` were appended. */
  append(bytes: Buffer): Tail {
    if (bytes.length === 0) return this;
    const window = new TailWindow(this);
    window.append(bytes);
    return window.tail;
  }

  get length(): number {
    return this.#bytes.length;
  }

  copyTo(target: Buffer): number {
    return this.#bytes.copy(target);
  }

  /** SHA-256, hex. */
  digest(): string {
    return createHash('sha256').update(this.#bytes).digest('hex');
  }
}

/** The tail of a file that grows. It is a copy, made only when it is asked for. */
export class TailWindow {
  /** As long as the longest tail so far needs: most files are small. */
  #bytes: Buffer;
  #length: number;

  constructor(tail: Tail) {
    this.#bytes = Buffer.allocUnsafeSlow(tail.length);
    this.#length = tail.copyTo(this.#bytes);
  }

  append(bytes: Buffer): void {
    const last = endOf(bytes);
    const kept = Math.min(this.#length, TAIL_BYTES - last.length);
    const from = this.#bytes;
    if (kept + last.length > from.length)
      this.#bytes = Buffer.allocUnsafeSlow(Math.min(TAIL_BYTES, 2 * (kept + last.length)));
    from.copy(this.#bytes, 0, this.#length - kept, this.#length);
    this.#length = kept + last.copy(this.#bytes, kept);
  }

  get tail(): Tail {
    return new Tail(Buffer.from(this.#bytes.subarray(0, this.#length)));
  }
}

function endOf(bytes: Buffer): Buffer {
  return bytes.subarray(Math.max(0, bytes.length - TAIL_BYTES));
}

/** The tail of a file's first `size` bytes, read from disk; undefined if the file is shorter. */
export async function readTail(
  files: Pick<Files, 'readAt'>,
  path: string,
  size: number,
): Promise<Tail | undefined> {
  const length = Math.min(size, TAIL_BYTES);
  const bytes = await files.readAt(path, size - length, length);
  return bytes?.length === length ? new Tail(bytes) : undefined;
}
