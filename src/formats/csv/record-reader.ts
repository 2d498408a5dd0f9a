import type { RowcastError } from '../../errors.ts';
import { BufferPool } from '../bytes/buffer-pool.ts';
import type { Batch } from './batch.ts';
import { contentEnd, countLines, LF } from './dialect.ts';
import { findLongField, mayHoldLongField } from './long-field.ts';
import type { Position } from './position.ts';
import { recordTooLong, unclosedQuote } from './record-errors.ts';
import type { RecordOptions } from './record-options.ts';
import { newScan, quoteIsOpen, RecordKind, type Scan, scanRecord } from './scan-record.ts';

/** Maximum number of records in a batch, including blank lines, which take more memory here than in the input. */
const MAX_RECORDS = 10_000;

/**
 * Finds record ends and cuts the input into batches. `push` accepts chunks of any size; chunk boundaries do not affect the
 * records.
 *
 * A record without a quote before its line ending is found with two `indexOf` calls. Only other records are scanned byte
 * by byte.
 */
export class RecordReader {
  readonly #options: RecordOptions;
  readonly #quote: number | undefined;
  readonly #buffers = new BufferPool();

  /** The input from the start of the current batch; a view of the front of `#buffer`. */
  #bytes: Buffer = Buffer.alloc(0);
  #buffer: Buffer = this.#bytes;
  #batchStart = 0;
  #recordStart = 0;
  /** There is no line feed in `[#recordStart, #searched)`, and no quote in `[#recordStart, #quoteFree)`. */
  #searched = 0;
  #quoteFree = 0;
  /** Set while a record that contains a quote is being scanned. */
  #scan: Scan | undefined;

  #ends: number[] = [];
  #kinds: RecordKind[] = [];
  #rows = 0;
  #bodyBytes = 0;
  /** Number of line endings in the current batch. */
  #lines = 0;
  /** Where the current batch begins in the input. */
  #start: Position;
  /** Whether the whole input was pushed. */
  #hasEnded = false;
  #hasLongField = false;

  constructor(options: RecordOptions) {
    this.#options = options;
    this.#quote = options.dialect.quote?.charCodeAt(0);
    this.#start = options.start;
  }

  /** Whether the last row within the limit was read. */
  get full(): boolean {
    return this.#start.row + this.#rows > (this.#options.limit ?? Number.POSITIVE_INFINITY);
  }

  /**
   * Adds a chunk and yields the batches that it completes. An empty chunk means that the source is idle: the complete
   * records so far are yielded as a batch, so that the rows of a slow pipe are scored without delay.
   *
   * @throws RowcastError `record_too_long` with the line, after the batch of the records before it
   */
  *push(chunk: Uint8Array): Generator<Batch> {
    if (chunk.length === 0) {
      yield* this.#cut();
      return;
    }
    this.#append(chunk);
    yield* this.#read(false);
  }

  /**
   * Ends the input and yields the remaining records.
   *
   * @throws RowcastError `unclosed_quote` with the line at which the quote opened
   */
  *end(): Generator<Batch> {
    this.#hasEnded = true;
    yield* this.#read(true);
    yield* this.#cut();
  }

  /**
   * Releases the batches before an input offset: their memory is reused. Calling it is optional; unreleased buffers are
   * garbage-collected.
   */
  release(offset: number): void {
    this.#buffers.release(offset);
  }

  *#read(last: boolean): Generator<Batch> {
    const { batchRows, batchBytes, rowOverhead, maxRecordBytes } = this.#options;
    while (!this.full) {
      const end = this.#nextEnd(last);
      const size = (end === -1 ? this.#bytes.length : end) - this.#recordStart;
      if (size > maxRecordBytes) {
        yield* this.#cut();
        throw this.#tooLong();
      }
      if (end === -1) break;

      const kind = this.#kindOf(end);
      if (this.#ends.length > 0 && this.#bodyBytes + size + rowOverhead > batchBytes()) yield* this.#cut();
      this.#ends.push(end - this.#batchStart);
      this.#kinds.push(kind);
      this.#bodyBytes += size;
      const lines = this.#linesOf(end);
      if (this.#scan !== undefined && mayHoldLongField(size, lines)) this.#reportLongField(end);
      this.#lines += lines;
      if (kind !== RecordKind.blank) {
        this.#rows++;
        this.#bodyBytes += rowOverhead;
      }
      this.#recordStart = this.#searched = end;
      this.#scan = undefined;
      if (this.#rows === batchRows || this.#ends.length === MAX_RECORDS) yield* this.#cut();
    }
    if (last && !this.full && this.#recordStart < this.#bytes.length) {
      yield* this.#cut();
      throw this.#unclosedQuote();
    }
  }

  /** Offset after the line ending of the record at `#recordStart`, or -1 if more bytes are needed. */
  #nextEnd(last: boolean): number {
    const { dialect } = this.#options;
    const { length } = this.#bytes;
    if (this.#recordStart === length) return -1;
    if (this.#scan === undefined && !dialect.loneCr) {
      const lineFeed = this.#bytes.indexOf(LF, this.#searched);
      if (this.#quoteFreeTo() >= (lineFeed === -1 ? length : lineFeed)) {
        if (lineFeed !== -1) return lineFeed + 1;
        this.#searched = length;
        return last ? length : -1;
      }
    }
    this.#scan ??= newScan(this.#recordStart);
    return scanRecord(this.#scan, this.#bytes, last, dialect);
  }

  #quoteFreeTo(): number {
    const { length } = this.#bytes;
    if (this.#quote === undefined) return length;
    const from = Math.max(this.#recordStart, this.#quoteFree);
    if (from < length && this.#bytes[from] !== this.#quote) {
      const found = this.#bytes.indexOf(this.#quote, from);
      this.#quoteFree = found === -1 ? length : found;
    } else this.#quoteFree = from;
    return this.#quoteFree;
  }

  #kindOf(end: number): RecordKind {
    const { width, dialect } = this.#options;
    const blank = width > 1 && contentEnd(this.#bytes, this.#recordStart, end, dialect) === this.#recordStart;
    return blank ? RecordKind.blank : (this.#scan?.kind ?? RecordKind.plain);
  }

  /** Number of line endings in the record at `#recordStart`: only a scanned record can have more than one. */
  #linesOf(end: number): number {
    const { dialect } = this.#options;
    if (this.#scan !== undefined) return countLines(this.#bytes, this.#recordStart, end, dialect);
    return contentEnd(this.#bytes, this.#recordStart, end, dialect) === end ? 0 : 1;
  }

  *#cut(): Generator<Batch> {
    const size = this.#recordStart - this.#batchStart;
    if (size === 0) return;
    const bytes = this.#bytes.subarray(this.#batchStart, this.#recordStart);
    const { offset, row, line } = this.#start;
    const end = {
      offset: offset + size,
      row: row + this.#rows,
      line: line + this.#lines,
    };
    const batch: Batch = {
      bytes,
      ends: this.#ends,
      kinds: this.#kinds,
      start: this.#start,
      end,
      mayBeTruncated: this.#hasEnded && this.#recordStart === this.#bytes.length && bytes.at(-1) !== LF,
    };
    this.#start = end;
    this.#batchStart = this.#recordStart;
    this.#ends = [];
    this.#kinds = [];
    this.#rows = 0;
    this.#bodyBytes = 0;
    this.#lines = 0;
    yield batch;
  }

  /** If the buffer is full, it stays with its batches, and the current batch moves to a new one. */
  #append(chunk: Uint8Array): void {
    const length = this.#bytes.length + chunk.length;
    if (length > this.#buffer.length) {
      const shift = this.#batchStart;
      this.#buffers.retire(this.#buffer, this.#start.offset);
      this.#buffer = this.#buffers.take(length - shift);
      this.#buffer.set(this.#bytes.subarray(shift));
      this.#buffer.set(chunk, this.#bytes.length - shift);
      this.#bytes = this.#buffer.subarray(0, length - shift);
      this.#batchStart = 0;
      this.#recordStart -= shift;
      this.#searched -= shift;
      this.#quoteFree = Math.max(0, this.#quoteFree - shift);
      if (this.#scan !== undefined) {
        this.#scan.at -= shift;
        this.#scan.quoteAt -= shift;
      }
    } else {
      this.#buffer.set(chunk, this.#bytes.length);
      this.#bytes = this.#buffer.subarray(0, length);
    }
  }

  #lineAt(offset: number): number {
    return this.#start.line + countLines(this.#bytes, this.#batchStart, offset, this.#options.dialect);
  }

  #placeOf(offset: number): { file: string; line: number; row: number } {
    const { file } = this.#options;
    return { file, line: this.#lineAt(offset), row: this.#start.row + this.#rows };
  }

  /** Reports a long field in the record from `#recordStart` to `end`, once per input. */
  #reportLongField(end: number): void {
    const { dialect, onLongField } = this.#options;
    if (this.#hasLongField || onLongField === undefined) return;
    const found = findLongField(this.#bytes, this.#recordStart, end, dialect);
    if (found === undefined) return;
    this.#hasLongField = true;
    const { at, bytes, lines } = found;
    const { line, row } = this.#placeOf(at);
    onLongField({ line, row, bytes, lines });
  }

  #tooLong(): RowcastError {
    if (this.#scan !== undefined && quoteIsOpen(this.#scan)) return this.#unclosedQuote();
    return recordTooLong(this.#placeOf(this.#recordStart), this.#options.maxRecordBytes);
  }

  #unclosedQuote(): RowcastError {
    const open = this.#scan?.quoteAt ?? this.#recordStart;
    return unclosedQuote(this.#placeOf(open), this.#options.maxRecordBytes);
  }
}
