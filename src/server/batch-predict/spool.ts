import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { SharedBudget } from '../limits/shared-budget.ts';
import { SHARE } from '../limits/shares.ts';
import { RequestError } from '../problems/problems.ts';

/** Disk space that is shared with other files. */
interface SpillSpace {
  /** Called before the file grows. @throws if it may not */
  take(bytes: number): void;
  /** Called once, at the end. */
  release(): void;
}

export interface SpoolOptions {
  /** Where the spill file is created, if needed. */
  folder: string;
  /** The maximum size of the file. */
  spillBytes: number;
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
/** Bytes that are read from the file at a time, and the least that it may have. */
const BLOCK_BYTES = 256 << 10;

/**
 * Buffers bytes ahead of their reader. Many clients send their whole upload before they read a byte, and would deadlock
 * with a server that waits for them to read. A reader that keeps reading applies backpressure as usual. While nothing
 * is read for some time, the bytes go to a file, and when that is full, the source waits until it was read.
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
  /** Holds the bytes after those in memory. */
  #file: FileHandle | undefined;
  /** Bytes that were written to the file and read from it; it begins anew once all were read. */
  #written = 0;
  #taken = 0;
  /** The most that the file has had, which is its share of the disk. */
  #fileBytes = 0;
  /** Whether nothing was read for so long that the file is used. */
  #isStalled = false;
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
      if (this.#memory.length > 0 || this.#taken < this.#written) {
        const bytes = await this.#take();
        this.#isStalled = false;
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
    this.#options.space.release();
  }

  async #take(): Promise<Buffer> {
    const bytes = this.#memory.shift();
    if (bytes !== undefined) {
      this.#memoryBytes -= bytes.length;
      return bytes;
    }
    const block = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, this.#written - this.#taken));
    const read = await this.#file?.read(block, 0, block.length, this.#taken);
    this.#taken += read?.bytesRead ?? 0;
    return block.subarray(0, read?.bytesRead);
  }

  async #put(bytes: Buffer): Promise<void> {
    while (!this.#isStalled && !this.#isStopped) {
      const fits = this.#memoryBytes === 0 || this.#memoryBytes + bytes.length <= MEMORY_BYTES;
      if (fits && this.#taken === this.#written) {
        this.#memory.push(bytes);
        this.#memoryBytes += bytes.length;
        this.#events.emit('put');
        return;
      }
      const signal = AbortSignal.timeout(this.#options.spillMs);
      await once(this.#events, 'taken', { signal }).catch(() => {
        this.#isStalled = true;
      });
    }
    for (let at = 0; at < bytes.length && !this.#isStopped; ) at += await this.#spill(bytes.subarray(at));
  }

  /** Writes as much as fits to the file, or waits until it was read. @returns how many bytes it has written */
  async #spill(bytes: Buffer): Promise<number> {
    const { folder, spillBytes, space, onFull } = this.#options;
    this.#file ??= await openUnnamed(folder);
    if (this.#taken === this.#written) this.#taken = this.#written = 0;
    const part = bytes.subarray(0, Math.max(BLOCK_BYTES, spillBytes) - this.#written);
    if (part.length === 0) {
      if (!this.#isFull) onFull();
      this.#isFull = true;
      await once(this.#events, 'taken');
      return 0;
    }
    const end = this.#written + part.length;
    if (end > this.#fileBytes) space.take(end - this.#fileBytes);
    this.#fileBytes = Math.max(this.#fileBytes, end);
    const { bytesWritten } = await this.#file.write(part, 0, part.length, this.#written);
    this.#written += bytesWritten;
    this.#events.emit('put');
    return bytesWritten;
  }
}

/** A file that is readable by its owner only, and unlinked at once, so nothing remains when the process ends. */
async function openUnnamed(folder: string): Promise<FileHandle> {
  const path = join(folder, `.spill-${randomBytes(6).toString('hex')}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
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
