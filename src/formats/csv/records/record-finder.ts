import type { Dialect } from '../../../base/parse-records.ts';
import { RecordKind } from '../../records/batch.ts';
import { contentEnd, countLines, LF } from '../../records/line-endings.ts';
import { newScan, quoteIsOpen, type Scan, scanRecord } from './scan-record.ts';

/**
 * Finds the end of one record after the other in the bytes of an input, which arrive in chunks.
 *
 * A record without a quote before its line ending is found with two `indexOf` calls. Only other records are scanned
 * byte by byte.
 */
export class RecordFinder {
  /** The input from the start of the current batch; a view of the front of `#buffer`. */
  bytes: Buffer = Buffer.alloc(0);
  /** Offset in `bytes` of the first record that is not in an earlier batch, and of the record to find the end of. */
  batchStart = 0;
  recordStart = 0;
  readonly #dialect: Dialect;
  readonly #quote: number | undefined;
  readonly #isEmptyLineARow: boolean;
  readonly #buffers: BufferPool;
  #buffer: Buffer = this.bytes;
  /** There is no line feed in `[recordStart, #searched)`, and no quote in `[recordStart, #quoteFree)`. */
  #searched = 0;
  #quoteFree = 0;
  /** Set while a record that contains a quote is being scanned. */
  #scan: Scan | undefined;

  /**
   * @param width number of columns; with a single column, an empty line is a record with an empty value
   * @param isShared whether the bytes are in memory that threads share
   */
  constructor(dialect: Dialect, width: number, isShared = false) {
    this.#buffers = new BufferPool(isShared);
    this.#dialect = dialect;
    this.#quote = dialect.quote?.charCodeAt(0);
    this.#isEmptyLineARow = width === 1;
  }

  /**
   * Adds a chunk. If the buffer is full, it stays with its batches, and the current batch moves to a new one.
   *
   * @param offset of the current batch in the input
   */
  append(chunk: Uint8Array, offset: number): void {
    const length = this.bytes.length + chunk.length;
    if (length > this.#buffer.length) {
      const shift = this.batchStart;
      this.#buffers.retire(this.#buffer, offset);
      this.#buffer = this.#buffers.take(length - shift);
      this.#buffer.set(this.bytes.subarray(shift));
      this.#buffer.set(chunk, this.bytes.length - shift);
      this.bytes = this.#buffer.subarray(0, length - shift);
      this.batchStart = 0;
      this.recordStart -= shift;
      this.#searched -= shift;
      this.#quoteFree = Math.max(0, this.#quoteFree - shift);
      if (this.#scan !== undefined) {
        this.#scan.at -= shift;
        this.#scan.quoteAt -= shift;
      }
    } else {
      this.#buffer.set(chunk, this.bytes.length);
      this.bytes = this.#buffer.subarray(0, length);
    }
  }

  /** Reuses the memory of the batches before an input offset. */
  release(offset: number): void {
    this.#buffers.release(offset);
  }

  /** Offset after the line ending of the record at `recordStart`, or -1 if more bytes are needed. */
  nextEnd(last: boolean): number {
    const { length } = this.bytes;
    if (this.recordStart === length) return -1;
    if (this.#scan === undefined && !this.#dialect.loneCr) {
      const lineFeed = this.bytes.indexOf(LF, this.#searched);
      if (this.#quoteFreeTo() >= (lineFeed === -1 ? length : lineFeed)) {
        if (lineFeed !== -1) return lineFeed + 1;
        this.#searched = length;
        return last ? length : -1;
      }
    }
    this.#scan ??= newScan(this.recordStart);
    return scanRecord(this.#scan, this.bytes, last, this.#dialect);
  }

  /** Moves on to the record that begins at `end`. */
  moveTo(end: number): void {
    this.recordStart = this.#searched = end;
    this.#scan = undefined;
  }

  #quoteFreeTo(): number {
    const { length } = this.bytes;
    if (this.#quote === undefined) return length;
    const from = Math.max(this.recordStart, this.#quoteFree);
    if (from < length && this.bytes[from] !== this.#quote) {
      const found = this.bytes.indexOf(this.#quote, from);
      this.#quoteFree = found === -1 ? length : found;
    } else this.#quoteFree = from;
    return this.#quoteFree;
  }

  kindOf(end: number): RecordKind {
    const isEmpty = contentEnd(this.bytes, this.recordStart, end, this.#dialect) === this.recordStart;
    return isEmpty && !this.#isEmptyLineARow ? RecordKind.blank : (this.#scan?.kind ?? RecordKind.plain);
  }

  /** Whether the record was scanned: only then can it have a quoted field, or more than one line. */
  get isScanned(): boolean {
    return this.#scan !== undefined;
  }

  /** Number of line endings in the record. */
  linesOf(end: number): number {
    if (this.#scan !== undefined) return countLines(this.bytes, this.recordStart, end, this.#dialect);
    return contentEnd(this.bytes, this.recordStart, end, this.#dialect) === end ? 0 : 1;
  }

  /** Offset of the quote that is open at the end of `bytes`, if there is one. */
  get openQuote(): number | undefined {
    return this.#scan !== undefined && quoteIsOpen(this.#scan) ? this.#scan.quoteAt : undefined;
  }

  /** Offset of the last quote that opened a field of the record, or of the record. */
  get lastQuote(): number {
    return this.#scan?.quoteAt ?? this.recordStart;
  }
}

/** Large enough that little data is copied from one to the next, small enough that several are in flight. */
const BUFFER_BYTES = 1 << 20;
/**
 * The first is as small as what is to go into it: most inputs are small, and memory that is freed by thousands of them
 * one after the other is not given back to the system.
 */
const FIRST_BUFFER_BYTES = 256 << 10;
const SMALLEST_BYTES = 4 << 10;

/**
 * The buffers that an input is read into, one after the other. A full buffer is reused once all batches cut from it
 * have been released: left to the garbage collector, they would be freed late and double the memory in use.
 */
class BufferPool {
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
