import { EventEmitter, once } from 'node:events';
import { SpillFile, type SpillSpace } from './spill-file.ts';

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
