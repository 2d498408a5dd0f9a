import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import type { Batch } from '../records/batch.ts';
import type { PlacedRecords } from '../records/fields.ts';

/** Batches that are larger are not copied to the memory of a kernel: such records are few. */
export const MAX_PLACED_BYTES = 16 << 20;
/** Number of bytes that the kernel may read behind a batch. */
const PADDING = 16;

/**
 * Copies a batch to the memory of a kernel.
 *
 * @param spareBytes memory behind its bytes
 */
export function placeRecords(
  memory: BatchMemory,
  { bytes, ends, kinds }: Batch,
  spareBytes = 0,
): PlacedRecords {
  const bytesAt = memory.reserve(bytes.length + spareBytes + PADDING);
  const recordEnds = memory.reserve(ends.byteLength);
  const kindsAt = memory.reserve(kinds.byteLength);
  const { buffer, kernel } = memory;
  new Uint8Array(buffer, bytesAt, bytes.length).set(bytes);
  new Int32Array(buffer, recordEnds, ends.length).set(ends);
  new Uint8Array(buffer, kindsAt, kinds.length).set(kinds);
  return { kernel, bytes: bytesAt, recordEnds, kinds: kindsAt };
}

/** A copy of a batch in the memory of a kernel, with memory for its fields. */
export interface PlacedFields {
  readonly records: PlacedRecords;
  readonly bytes: Buffer;
  /** Begins with the bytes, and is twice as long: fields without their escapes go behind them. */
  readonly texts: Buffer;
  /** The offsets of the fields; they have anything in them. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** Copies a batch with `fields` fields to the memory of a kernel; undefined if it is too large. */
export function placeFields(
  memory: BatchMemory | undefined,
  batch: Batch,
  fields: number,
): PlacedFields | undefined {
  const size = batch.bytes.length;
  if (memory === undefined || size > MAX_PLACED_BYTES) return undefined;
  const records = placeRecords(memory, batch, size);
  const offsetBytes = fields * Int32Array.BYTES_PER_ELEMENT;
  const [startsAt, endsAt] = [memory.reserve(offsetBytes), memory.reserve(offsetBytes)];
  // The memory may have grown, so views are made last.
  const { buffer } = memory;
  const texts = Buffer.from(buffer, records.bytes, 2 * size);
  const [starts, ends] = [new Int32Array(buffer, startsAt, fields), new Int32Array(buffer, endsAt, fields)];
  return { records, bytes: texts.subarray(0, size), texts, starts, ends };
}
