import { type Kernel, kernelFor } from './kernel.ts';
import { allocatedPages, type NumberArray, PAGE_BYTES } from './linear-memory.ts';

/** Every array begins at a multiple of it. */
const ALIGNMENT = 16;
const FIRST_PAGES = 32;

/**
 * Memory in which a kernel reads one batch after the other: arrays that are kept, and behind them those of a batch. It
 * grows, and views of it are then no longer valid: reserve everything first.
 */
export class BatchMemory {
  readonly kernel: Kernel;
  readonly #memory: WebAssembly.Memory;
  #kept = 0;
  #used = 0;

  private constructor(memory: WebAssembly.Memory) {
    this.#memory = memory;
    this.kernel = kernelFor(memory);
  }

  /** @returns undefined if there are no addresses left: see `LinearMemory` */
  static create(): BatchMemory | undefined {
    const memory = allocatedPages({ initial: FIRST_PAGES });
    return memory && new BatchMemory(memory);
  }

  get buffer(): ArrayBuffer {
    return this.#memory.buffer;
  }

  /** Adds a copy of an array, which stays; not while a batch is in use. @returns its address */
  keep(array: NumberArray): number {
    this.clear();
    const at = this.reserve(array.byteLength);
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    new Uint8Array(this.buffer, at).set(bytes);
    this.#kept = this.#used;
    return at;
  }

  /** Forgets everything but what is kept. */
  clear(): void {
    this.#used = this.#kept;
  }

  /** Adds an array for a batch, with anything in it. @returns its address */
  reserve(bytes: number): number {
    const at = this.#used;
    this.#used += Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
    const missing = this.#used - this.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE_BYTES));
    return at;
  }
}
