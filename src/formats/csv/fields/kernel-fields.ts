import type { BatchMemory } from '../../../base/kernel/batch-memory.ts';
import type { Dialect } from '../../../base/parse-records.ts';
import { placeRecords } from '../../columns/place-records.ts';
import type { Batch } from '../../records/batch.ts';
import type { PlacedRecords } from '../../records/fields.ts';

const OFFSET_BYTES = Int32Array.BYTES_PER_ELEMENT;

export interface FieldsShape {
  /** The most fields that the batch may have. */
  fields: number;
  /** Those of a valid record. */
  width: number;
  dialect: Dialect;
}

/** A copy of a batch in the memory of a kernel, and the offsets of its fields. */
export class KernelFields {
  readonly bytes: Buffer;
  /** Begins with the bytes, and has room for as many again. */
  readonly room: Buffer;
  readonly records: PlacedRecords;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /**
   * Finds the fields of records, from `index` on, which are rows from `row` on.
   *
   * @returns the first record that is blank, malformed, without the right number of fields, or has an escaped quote
   */
  readonly find: (index: number, row: number) => number;

  constructor(memory: BatchMemory, batch: Batch, { fields, width, dialect }: FieldsShape) {
    const size = batch.bytes.length;
    const records = placeRecords(memory, batch, size);
    const startsAt = memory.reserve(fields * OFFSET_BYTES);
    const endsAt = memory.reserve(fields * OFFSET_BYTES);
    const { buffer, kernel } = memory;
    this.records = records;
    this.room = Buffer.from(buffer, records.bytes, 2 * size);
    this.bytes = this.room.subarray(0, size);
    this.starts = new Int32Array(buffer, startsAt, fields);
    this.ends = new Int32Array(buffer, endsAt, fields);
    const delimiter = dialect.delimiter.charCodeAt(0);
    const quote = dialect.quote?.charCodeAt(0) ?? -1;
    const loneCr = Number(dialect.loneCr);
    const rowBytes = width * OFFSET_BYTES;
    this.find = (index, row) =>
      kernel.findFields(
        records.bytes,
        records.recordEnds,
        records.kinds,
        index,
        batch.ends.length,
        width,
        delimiter,
        quote,
        loneCr,
        startsAt + row * rowBytes,
        endsAt + row * rowBytes,
      );
  }
}
