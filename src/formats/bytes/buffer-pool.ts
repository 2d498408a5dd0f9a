/** Large enough that little is moved from one to the next, small enough that a window has several. */
const BUFFER_BYTES = 4 << 20;
/** The first is small: most inputs are, and a large one would have memory collected before it is of use. */
const FIRST_BUFFER_BYTES = 256 << 10;

/**
 * The buffers that an input is read into, one after the other. A full one is used again when all that was cut
 * from it is done with: as garbage they would be collected late, and memory would be twice what is in flight.
 */
export class BufferPool {
  /** Full ones, each with the offset in the input at which the last batch that was cut from it ends. */
  readonly #full: { slab: Buffer; end: number }[] = [];
  readonly #free: Buffer[] = [];
  /** Whether anything was ever released: who keeps batches for good leaves their buffers to the collector. */
  #isReleased = false;
  #isFirst = true;

  /** A buffer of so many bytes at least. */
  take(bytes: number): Buffer {
    if (bytes > BUFFER_BYTES / 2) return Buffer.allocUnsafeSlow(2 * bytes);
    const isSmall = this.#isFirst && bytes < FIRST_BUFFER_BYTES;
    this.#isFirst = false;
    if (isSmall) return Buffer.allocUnsafeSlow(FIRST_BUFFER_BYTES);
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);
  }

  /** Nothing more goes into a buffer; what was cut from it ends at an offset of the input. */
  retire(slab: Buffer, end: number): void {
    if (this.#isReleased && slab.length === BUFFER_BYTES) this.#full.push({ slab, end });
  }

  /** What comes before an offset of the input is done with, and is never looked at again. */
  release(offset: number): void {
    this.#isReleased = true;
    for (let [first] = this.#full; first !== undefined && first.end <= offset; [first] = this.#full) {
      this.#free.push(first.slab);
      this.#full.shift();
    }
  }
}
