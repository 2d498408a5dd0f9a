import { type Location, RowcastError } from '../../base/errors.ts';
import { BatchMemory } from '../../base/kernel/batch-memory.ts';
import type { RecordAt } from '../../formats/comparison.ts';
import type { Layout, Opened } from '../../formats/format.ts';
import type { ReadOptions } from '../../formats/read-options.ts';
import { type Batch, kindOf, RecordKind, startOf } from '../../formats/records/batch.ts';
import type { Fault } from '../../formats/records/faults.ts';
import { type BatchOptions, readBatches } from '../../formats/records/read-batches.ts';
import type { Source } from '../../storage/source.ts';

/** A record, and the number of its row. */
interface LocatedRecord extends RecordAt {
  readonly row: number;
}

/** Batch size; at most two batches of each file are in memory. */
const BATCH_BYTES = 1 << 20;

/**
 * Iterates over the records of a file in the batches that it is given. Holds only the current batch and the last row of
 * the one before.
 */
export class RecordCursor implements LocatedRecord {
  /** File name, for messages. */
  readonly file: string;
  readonly layout: Layout;
  /** The current batch, undefined before the first one. */
  batch: Batch | undefined;
  index = -1;

  /** False if a batch is needed or the file has ended. */
  hasRecord = false;
  isEnded = false;
  /** The current record: its content is `bytes[start, contentEnd)`, its line ending `bytes[contentEnd, end)`. */
  bytes: Buffer = Buffer.alloc(0);
  start = 0;
  contentEnd = 0;
  end = 0;
  kind: RecordKind = RecordKind.plain;
  /** Number of the record's row; for a blank line, of the next row. */
  row: number;

  readonly #batches: AsyncIterator<Batch> | undefined;
  #previous: LocatedRecord | undefined;
  /** Line of the batch's byte at `#counted`. */
  #line = 0;
  #counted = 0;

  /** @param batches what `fill` takes the next one of */
  constructor(file: string, layout: Layout, batches?: AsyncIterator<Batch>) {
    this.file = file;
    this.layout = layout;
    this.row = layout.start.row;
    this.#batches = batches;
  }

  /** Opens a file whose beginning was read, before its first record. */
  static open(
    source: Source,
    { layout, rest }: Opened,
    options: Pick<ReadOptions, 'maxRecordBytes'> & Pick<BatchOptions, 'limit' | 'onLongField'>,
  ): RecordCursor {
    const records = layout.records({
      file: source.name,
      batchRows: Number.POSITIVE_INFINITY,
      batchBytes: () => BATCH_BYTES,
      maxRecordBytes: options.maxRecordBytes,
      limit: options.limit,
      start: layout.start,
      onLongField: options.onLongField,
    });
    return new RecordCursor(source.name, layout, readBatches({ records, rest, source }));
  }

  /** Reads the next batch. */
  async fill(): Promise<void> {
    const next = await this.#batches?.next();
    this.setBatch(next?.done ? undefined : next?.value);
  }

  /** Sets the next batch, undefined at the end of the file. */
  setBatch(batch: Batch | undefined): void {
    if (batch === undefined) {
      this.isEnded = true;
      return;
    }
    this.#previous = this.previous;
    this.batch = batch;
    this.bytes = batch.bytes;
    this.index = 0;
    this.row = batch.start.row;
    this.#line = batch.start.line;
    this.#counted = 0;
    this.#look(batch);
  }

  /** Moves to the next record. */
  advance(): void {
    if (this.kind !== RecordKind.blank) this.row++;
    this.index++;
    if (this.batch !== undefined) this.#look(this.batch);
  }

  /**
   * Line where the record starts, or the next one would; in a file that is not text, the number of the row. Lines are
   * counted from the previous call.
   */
  get line(): number {
    if (this.layout.rows !== undefined) return this.row;
    if (this.batch === undefined) return this.layout.start.line;
    if (!this.hasRecord) return this.batch.end.line;
    this.#line += this.layout.countLines(this.bytes, this.#counted, this.start);
    this.#counted = this.start;
    return this.#line;
  }

  /** The record's last byte. */
  get lastByte(): number | undefined {
    return this.bytes[this.end - 1];
  }

  /** The last row before this record. */
  get previous(): LocatedRecord | undefined {
    const { batch } = this;
    if (batch === undefined) return undefined;
    for (let index = this.index - 1; index >= 0; index--) {
      if (batch.kinds[index] === RecordKind.blank) continue;
      const [start, end] = [startOf(batch, index), startOf(batch, index + 1)];
      const content = this.layout.contentEnd(batch.bytes, start, end);
      return { bytes: batch.bytes, start, contentEnd: content, row: this.row - 1 };
    }
    return this.#previous;
  }

  #look(batch: Batch): void {
    const end = batch.ends[this.index];
    this.hasRecord = end !== undefined;
    if (end === undefined) return;
    this.start = startOf(batch, this.index);
    this.end = end;
    this.contentEnd = this.layout.contentEnd(batch.bytes, this.start, end);
    this.kind = kindOf(batch, this.index);
  }
}

/** Requests a batch if there is no current record. */
export function* load(cursor: RecordCursor): Generator<RecordCursor, void> {
  if (!cursor.hasRecord && !cursor.isEnded) yield cursor;
}

/** Returns the fault of a cursor's current record; each batch is examined once. */
export function faultFinder(cursor: RecordCursor): () => Fault | undefined {
  const memory = BatchMemory.create();
  const readFields = cursor.layout.fieldReader(memory);
  let known: Batch | undefined;
  let faults: ReadonlyMap<number, Fault> = new Map();
  return () => {
    if (cursor.batch !== undefined && cursor.batch !== known) {
      known = cursor.batch;
      memory?.clear();
      faults = readFields(known).faults;
    }
    return faults.get(cursor.index);
  };
}

const HINT = 'One of the files was modified, or they do not belong together.';
/** The end of a hint that names another cause first. */
export const OTHERWISE = 'Otherwise one of the files was modified, or they do not belong together.';

/** The error of `verify`: OUTPUT does not match INPUT. */
export function mismatch(message: string, location: Location, hint = HINT): RowcastError {
  return new RowcastError('difference', message, { severity: 'unbalanced', location, hint });
}
