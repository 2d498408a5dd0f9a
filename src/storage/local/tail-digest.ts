import { createHash } from 'node:crypto';
import type { Files } from './durable-files.ts';

/** Number of bytes at the end of a file that are hashed. */
export const TAIL_BYTES = 64 << 10;
/** If there are more parts than this, they are joined, so that small writes stay cheap. */
const MAX_PARTS = 16;

/**
 * The last bytes of a file as they were written, not as read back: a file that lost them, or contains zeros instead, has
 * a different digest. Immutable, so that each point in the file can keep its own.
 */
export class Tail {
  static readonly empty = new Tail([]);
  readonly #parts: readonly Uint8Array[];

  private constructor(parts: readonly Uint8Array[]) {
    this.#parts = parts;
  }

  /** The tail after `bytes` were appended; they must not be modified afterwards. */
  append(bytes: Uint8Array): Tail {
    if (bytes.length === 0) return this;
    let room = TAIL_BYTES;
    const kept: Uint8Array[] = [];
    for (const part of [bytes, ...this.#parts.toReversed()]) {
      if (room === 0) break;
      kept.unshift(part.subarray(Math.max(0, part.length - room)));
      room -= Math.min(room, part.length);
    }
    return new Tail(kept.length > MAX_PARTS ? [Buffer.concat(kept)] : kept);
  }

  /** SHA-256, hex. */
  digest(): string {
    const hash = createHash('sha256');
    for (const part of this.#parts) hash.update(part);
    return hash.digest('hex');
  }
}

/** The tail of a file's first `size` bytes, read from disk; undefined if the file is shorter. */
export async function readTail(
  files: Pick<Files, 'readAt'>,
  path: string,
  size: number,
): Promise<Tail | undefined> {
  const length = Math.min(size, TAIL_BYTES);
  const bytes = await files.readAt(path, size - length, length);
  return bytes?.length === length ? Tail.empty.append(bytes) : undefined;
}
