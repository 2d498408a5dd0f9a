import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { SharedBudget } from '../limits/shared-budget.ts';
import { SHARE } from '../limits/shares.ts';
import { RequestError } from '../problems/problems.ts';

export interface SpoolOptions {
  /** Where the spill file is created, if needed. */
  folder: string;
  /** The maximum size of the file. */
  spillBytes: number;
  /** The disk space shared with other spill files. */
  space: SpillSpace;
  /** How long nothing may be read before the file is used, in milliseconds. */
  spillMs: number;
  /** Called once, when the file is full. */
  onFull(): void;
  /** Called at once when the source fails: the reader gets the error too, but may not read for a long time. */
  onFailure(failure: Error): void;
}

/** Bytes buffered in memory: a few batches. */
const MEMORY_BYTES = 2 << 20;

/**
 * Buffers bytes ahead of their reader. Many clients send their whole upload before they read a byte, and would deadlock
 * with a server that waits for them to read. A reader that keeps reading applies backpressure as usual. If nothing is
 * read for a while, the bytes go to a file, and when that is full, the source waits.
 */
export async function* spooled(source: AsyncIterable<Buffer>, options: SpoolOptions): AsyncGenerator<Buffer> {
  const spool = new Spool(options);
  const filling = spool.fill(source);
  try {
    yield* spool.read();
  } finally {
    spool.stop();
    await filling;
    await spool.close();
  }
}

class Spool {
  readonly #options: SpoolOptions;
  readonly #memory: Buffer[] = [];
  #memoryBytes = 0;
  /** Holds the bytes after those in memory; used once the memory is full. */
  #file: SpillFile | undefined;
  #isFull = false;
  #isStopped = false;
  #end: { failure: Error } | 'whole' | undefined;
  readonly #events = new EventEmitter<{ put: []; taken: [] }>();

  constructor(options: SpoolOptions) {
    this.#options = options;
  }

  /** Consumes the source to its end; its failure reaches the reader. */
  async fill(source: AsyncIterable<Buffer>): Promise<void> {
    try {
      for await (const bytes of source) {
        await this.#put(bytes);
        if (this.#isStopped) break;
      }
      this.#end = 'whole';
    } catch (cause) {
      const failure = cause instanceof Error ? cause : new Error(String(cause));
      this.#end = { failure };
      this.#options.onFailure(failure);
    }
    this.#events.emit('put');
  }

  async *read(): AsyncGenerator<Buffer> {
    for (;;) {
      if (typeof this.#end === 'object') throw this.#end.failure;
      if (this.#memory.length > 0 || this.#spills) {
        const bytes = await this.#take();
        this.#events.emit('taken');
        yield bytes;
      } else if (this.#end === 'whole') return;
      else await once(this.#events, 'put');
    }
  }

  /** Call this when nobody reads any more. */
  stop(): void {
    this.#isStopped = true;
    this.#events.emit('taken');
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  async #take(): Promise<Buffer> {
    const bytes = this.#memory.shift();
    if (bytes === undefined) return this.#file?.take() ?? Buffer.alloc(0);
    this.#memoryBytes -= bytes.length;
    return bytes;
  }

  async #put(bytes: Buffer): Promise<void> {
    while (!this.#spills && !this.#isStopped) {
      if (this.#memoryBytes === 0 || this.#memoryBytes + bytes.length <= MEMORY_BYTES) {
        this.#memory.push(bytes);
        this.#memoryBytes += bytes.length;
        this.#events.emit('put');
        return;
      }
      if (!(await this.#takenWithin(this.#options.spillMs))) break;
    }
    if (!this.#isStopped) await this.#spill(bytes);
  }

  /** Whether the file holds bytes, so that new ones must go there too, to keep the order. */
  get #spills(): boolean {
    return this.#file !== undefined && this.#file.size > 0;
  }

  async #spill(bytes: Buffer): Promise<void> {
    const { folder, spillBytes, space, onFull } = this.#options;
    this.#file ??= await SpillFile.open(folder, spillBytes, space);
    for (let at = 0; at < bytes.length && !this.#isStopped; ) {
      const part = bytes.subarray(at, at + this.#file.room);
      if (part.length > 0) {
        await this.#file.put(part);
        at += part.length;
        this.#events.emit('put');
        continue;
      }
      if (!this.#isFull) onFull();
      this.#isFull = true;
      await once(this.#events, 'taken');
    }
  }

  async #takenWithin(ms: number): Promise<boolean> {
    return once(this.#events, 'taken', { signal: AbortSignal.timeout(ms) }).then(
      () => true,
      () => false, // timed out
    );
  }
}

/** The file grows by blocks; blocks that were read completely are reused first. */
const BLOCK_BYTES = 256 << 10;

/** A spill file's share of the disk space. */
interface SpillSpace {
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

/** The share of the disk space for the response to one upload. */
export function spillSpace(budget: SharedBudget, key: string): SpillSpace {
  const holding = budget.open(key);
  return {
    take(bytes) {
      if (holding.take(bytes)) return;
      const sizes = `${mib(budget.heldBy(key))} of the ${mib(budget.total)} of --max-spill-bytes`;
      throw new RequestError(
        'busy',
        `responses to this key that are buffered on disk take up ${sizes}; ${SHARE}`,
      );
    },
    release: () => holding.release(),
  };
}

const mib = (bytes: number): string => `${Math.round(bytes / 1024 ** 2).toLocaleString('en-US')} MiB`;
