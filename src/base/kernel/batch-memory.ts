import { type Kernel, kernelFor } from './kernel.ts';

type NumberArray = Float64Array | Float32Array | Int32Array | Uint16Array | Uint8Array;

/** Every array begins at a multiple of it. */
const ALIGNMENT = 16;
const PAGE_BYTES = 1 << 16;

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

  /**
   * @returns undefined if there can be none: where V8 compiles nothing (--jitless); on a processor without SIMD (x86
   *   before SSE4.1, which some virtual machines imitate); or if there are no addresses left: V8 may reserve 10 GB of
   *   them for each memory, which a limit of virtual memory does not permit (ulimit -v)
   */
  static create(): BatchMemory | undefined {
    if (typeof WebAssembly === 'undefined') return undefined;
    try {
      return new BatchMemory(new WebAssembly.Memory({ initial: 1 }));
    } catch (error) {
      if (error instanceof RangeError || error instanceof WebAssembly.CompileError) return undefined;
      throw error;
    }
  }

  get buffer(): ArrayBuffer {
    return this.#memory.buffer;
  }

  /** Adds a copy of an array, which stays, and ends the use of a batch. @returns its address */
  keep(array: NumberArray): number {
    this.clear();
    const at = this.reserve(array.byteLength);
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    new Uint8Array(this.buffer, at).set(bytes);
    this.#kept = this.#used;
    return at;
  }

  /** Adds zeros, by which the memory grows; they stay, and take none until they are used. @returns their address */
  keepZeros(bytes: number): number {
    this.#used = this.buffer.byteLength;
    const at = this.reserve(bytes);
    this.#kept = this.#used;
    return at;
  }

  /** Forgets everything, for another use: nobody has what was kept any more. */
  reset(): void {
    this.#kept = 0;
    this.clear();
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
