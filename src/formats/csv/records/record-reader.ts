import { type Location, RowcastError } from '../../../base/errors.ts';
import { countOf } from '../../../base/number-text.ts';
import type { Dialect } from '../../../base/parse-records.ts';
import { type Batch, RecordKind } from '../../records/batch.ts';
import { countLines, LF } from '../../records/line-endings.ts';
import type { Position } from '../../records/position.ts';
import type { BatchOptions } from '../../records/read-batches.ts';
import type { NumberFinder } from '../fields/number-finder.ts';
import { findLongField, mayHoldLongField } from '../find-long-field.ts';
import type { FindNoRow } from './no-rows.ts';
import { RecordFinder } from './record-finder.ts';

/** Maximum number of records in a batch, including blank lines, which take more memory here than in the input. */
const MAX_RECORDS = 10_000;

/**
 * Cuts an input, or a part of it, into batches of whole records. `push` accepts chunks of any size; chunk boundaries do
 * not affect the records.
 */
export class RecordReader {
  readonly #options: RecordOptions;
  readonly #lastRow: number;
  readonly #end: number;
  readonly #finder: RecordFinder;

  /** Ends and kinds of the records so far in the current batch. */
  readonly #ends = new Int32Array(MAX_RECORDS);
  readonly #kinds = new Uint8Array(MAX_RECORDS);
  #records = 0;
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
    const { dialect, width, start, limit, end } = options;
    this.#options = options;
    this.#start = start;
    this.#lastRow = limit ?? Number.POSITIVE_INFINITY;
    this.#end = end ?? Number.POSITIVE_INFINITY;
    this.#finder = new RecordFinder(dialect, width, options.isShared);
  }

  /** Whether the last row within the limit, or all records before the end of the range were read. */
  get full(): boolean {
    const { batchStart, recordStart } = this.#finder;
    const { row, offset } = this.#start;
    return row + this.#rows > this.#lastRow || offset + recordStart - batchStart >= this.#end;
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
    this.#finder.append(chunk, this.#start.offset);
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
    this.#finder.release(offset);
  }

  *#read(last: boolean): Generator<Batch> {
    const { batchBytes, rowOverhead = 0, maxRecordBytes, findNoRow, numbers } = this.#options;
    const finder = this.#finder;
    const mostBytes = batchBytes ?? (() => Number.POSITIVE_INFINITY);
    while (!this.full) {
      const end = finder.nextEnd(last);
      const size = (end === -1 ? finder.bytes.length : end) - finder.recordStart;
      if (size > maxRecordBytes) {
        yield* this.#cut();
        throw this.#tooLong();
      }
      if (end === -1) break;

      let kind = finder.kindOf(end);
      if (kind <= RecordKind.quoted) {
        const { bytes, recordStart } = finder;
        const found = findNoRow?.(bytes, recordStart, end, kind);
        if (found === 'other order') {
          yield* this.#cut();
          throw otherHeader(this.#locationOf(recordStart));
        }
        if (found !== undefined) kind = found;
        else if (numbers?.isWrong(bytes, recordStart, end) === true) kind = RecordKind.notANumber;
      }
      if (this.#records > 0 && this.#bodyBytes + size + rowOverhead > mostBytes()) yield* this.#cut();
      this.#ends[this.#records] = end - finder.batchStart;
      this.#kinds[this.#records++] = kind;
      this.#bodyBytes += size;
      const lines = finder.linesOf(end);
      if (finder.isScanned && mayHoldLongField(size, lines)) this.#reportLongField(end);
      this.#lines += lines;
      if (kind !== RecordKind.blank) {
        this.#rows++;
        this.#bodyBytes += rowOverhead;
      }
      finder.moveTo(end);
      if (this.#hasAllRows || this.#records === MAX_RECORDS) yield* this.#cut();
    }
    if (last && !this.full && finder.recordStart < finder.bytes.length) {
      yield* this.#cut();
      throw unclosedQuote(this.#locationOf(finder.lastQuote));
    }
  }

  get #hasAllRows(): boolean {
    const { batchRows, onGrid = false } = this.#options;
    if (!onGrid) return this.#rows === batchRows;
    return this.#rows > 0 && (this.#start.row + this.#rows - 1) % batchRows === 0;
  }

  *#cut(): Generator<Batch> {
    const finder = this.#finder;
    const { batchStart, recordStart } = finder;
    const size = recordStart - batchStart;
    if (size === 0) return;
    const bytes = finder.bytes.subarray(batchStart, recordStart);
    const { offset, row, line } = this.#start;
    const end = { offset: offset + size, row: row + this.#rows, line: line + this.#lines };
    const isLast = this.#hasEnded && recordStart === finder.bytes.length;
    const batch: Batch = {
      bytes,
      ends: this.#ends.slice(0, this.#records),
      kinds: this.#kinds.slice(0, this.#records),
      start: this.#start,
      end,
      mayBeTruncated: isLast && bytes.at(-1) !== LF,
    };
    this.#start = end;
    finder.batchStart = recordStart;
    this.#records = 0;
    this.#rows = 0;
    this.#bodyBytes = 0;
    this.#lines = 0;
    yield batch;
  }

  #locationOf(offset: number): { file: string; line: number; row: number } {
    const { file, dialect } = this.#options;
    const { bytes, batchStart } = this.#finder;
    const line = this.#start.line + countLines(bytes, batchStart, offset, dialect);
    return { file, line, row: this.#start.row + this.#rows };
  }

  /** Reports a long field in the current record, which ends at `end`, once per input. */
  #reportLongField(end: number): void {
    const { dialect, onLongField } = this.#options;
    if (this.#hasLongField || onLongField === undefined) return;
    const { bytes, recordStart } = this.#finder;
    const found = findLongField(bytes, recordStart, end, dialect);
    if (found === undefined) return;
    this.#hasLongField = true;
    const { line, row } = this.#locationOf(found.at);
    onLongField({ line, row, bytes: found.bytes, lines: found.lines });
  }

  #tooLong(): RowcastError {
    const { openQuote, recordStart } = this.#finder;
    const { maxRecordBytes } = this.#options;
    if (openQuote !== undefined) return unclosedQuote(this.#locationOf(openQuote), maxRecordBytes);
    return recordTooLong(this.#locationOf(recordStart), maxRecordBytes);
  }
}

/** Options of `RecordReader`. */
interface RecordOptions extends BatchOptions {
  dialect: Dialect;
  /** Number of columns; with a single column, an empty line is a record with an empty value. */
  width: number;
  /** Finds records that are no rows, if there may be such ones. */
  findNoRow?: FindNoRow | undefined;
  /** Finds records with a text in a column of numbers, if there are such columns. */
  numbers?: NumberFinder | undefined;
}

/** @param location where the record begins */
function recordTooLong(location: Location, maxRecordBytes: number): RowcastError {
  return new RowcastError('record_too_long', `the record is longer than ${countOf(maxRecordBytes, 'byte')}`, {
    severity: 'stopped',
    location,
    hint: 'If that is intended, use a larger --max-record-bytes.',
  });
}

/**
 * @param location where the quote opens
 * @param maxRecordBytes if the record exceeds it; undefined: the file ended
 */
function unclosedQuote(location: Location, maxRecordBytes?: number): RowcastError {
  const where =
    maxRecordBytes === undefined ? 'before the end of the file' : `within ${countOf(maxRecordBytes, 'byte')}`;
  const longer = maxRecordBytes === undefined ? '' : '; for longer fields, use a larger --max-record-bytes';
  return new RowcastError('unclosed_quote', `the quote that opens on this line is not closed ${where}`, {
    severity: 'stopped',
    location,
    hint: `Close the quote. For a file without quoting, use --quote none (with --restart if there is an unfinished run)${longer}.`,
  });
}

/** @param location of the header line */
const otherHeader = (location: Location): RowcastError =>
  new RowcastError('other_header', 'this line is a header with the same columns in another order', {
    severity: 'stopped',
    location,
    needsRestart: true,
    hint: 'The values after it would be read as those of other columns: make two files of the input, the second of which begins with this line; or put the columns after it in the order of the first header.',
  });
