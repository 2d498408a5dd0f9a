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
 * @param roomBytes memory behind its bytes
 */
export function placeRecords(
  memory: BatchMemory,
  { bytes, ends, kinds }: Batch,
  roomBytes = 0,
): PlacedRecords {
  const bytesAt = memory.reserve(bytes.length + roomBytes + PADDING);
  const recordEnds = memory.reserve(ends.byteLength);
  const kindsAt = memory.reserve(kinds.byteLength);
  const { buffer, kernel } = memory;
  new Uint8Array(buffer, bytesAt, bytes.length).set(bytes);
  new Int32Array(buffer, recordEnds, ends.length).set(ends);
  new Uint8Array(buffer, kindsAt, kinds.length).set(kinds);
  return { kernel, bytes: bytesAt, recordEnds, kinds: kindsAt };
}
