/** Large enough that little data is copied from one to the next, small enough that several are in flight. */
const BUFFER_BYTES = 1 << 20;
/**
 * The first is as small as what is to go into it: most inputs are small, and memory that is freed by thousands of them one
 * after the other is not given back to the system.
 */
const FIRST_BUFFER_BYTES = 256 << 10;
const SMALLEST_BYTES = 4 << 10;

/**
 * The buffers that an input is read into, one after the other. A full buffer is reused once all batches cut from it have
 * been released: left to the garbage collector, they would be freed late and double the memory in use.
 */
export class BufferPool {
  /** Full buffers, each with the input offset at which its last batch ends. */
  readonly #full: { buffer: Buffer; end: number }[] = [];
  readonly #free: Buffer[] = [];
  /** Whether anything was ever released: callers that keep batches leave their buffers to the garbage collector. */
  #isReleased = false;
  #isFirst = true;
  readonly #isShared: boolean;

  /** @param isShared whether threads share the memory of the buffers */
  constructor(isShared = false) {
    this.#isShared = isShared;
  }

  /** Returns a buffer of at least this size. */
  take(bytes: number): Buffer {
    if (bytes > BUFFER_BYTES / 2) return this.#allocate(2 * bytes);
    const isSmall = this.#isFirst && bytes < FIRST_BUFFER_BYTES;
    this.#isFirst = false;
    if (isSmall) return this.#allocate(Math.max(SMALLEST_BYTES, bytes));
    return this.#free.pop() ?? this.#allocate(BUFFER_BYTES);
  }

  /** The buffer is full; its last batch ends at input offset `end`. */
  retire(buffer: Buffer, end: number): void {
    if (this.#isReleased && buffer.length === BUFFER_BYTES) this.#full.push({ buffer, end });
  }

  /** Returns the buffers whose batches all end at or before `offset` to the pool. */
  release(offset: number): void {
    this.#isReleased = true;
    for (let [first] = this.#full; first !== undefined && first.end <= offset; [first] = this.#full) {
      this.#free.push(first.buffer);
      this.#full.shift();
    }
  }

  #allocate(bytes: number): Buffer {
    return this.#isShared ? Buffer.from(new SharedArrayBuffer(bytes)) : Buffer.allocUnsafeSlow(bytes);
  }
}
