export type NumberArray = Float64Array | Int32Array | Uint16Array | Uint8Array;

/** Every array begins at a multiple of it. */
const ALIGNMENT = 8;
export const PAGE_BYTES = 1 << 16;
const MAX_PAGES = 1 << 15;

/** Arrays that WebAssembly uses, one after the other in its memory. */
export class LinearMemory {
  #size = 0;
  readonly #arrays: { at: number; array: NumberArray }[] = [];

  /** Adds a copy of an array. @returns its address */
  put(array: NumberArray): number {
    const at = this.reserve(array.byteLength);
    this.#arrays.push({ at, array });
    return at;
  }

  /** Adds an array of zeros. @returns its address */
  reserve(bytes: number): number {
    const at = this.#size;
    this.#size += Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
    return at;
  }

  /**
   * The memory with everything that was added; undefined if it is too large, or if there are no addresses left: V8 may
   * reserve 10 GB of them for each, which a limit of virtual memory does not permit (ulimit -v).
   */
  build(): WebAssembly.Memory | undefined {
    const pages = Math.ceil(this.#size / PAGE_BYTES);
    const memory = pages > MAX_PAGES ? undefined : allocatedPages({ initial: pages, maximum: pages });
    if (memory === undefined) return undefined;
    const bytes = new Uint8Array(memory.buffer);
    for (const { at, array } of this.#arrays)
      bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
    return memory;
  }
}

/** @returns undefined if there are no addresses left */
export function allocatedPages(pages: { initial: number; maximum?: number }): WebAssembly.Memory | undefined {
  try {
    return new WebAssembly.Memory(pages);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
