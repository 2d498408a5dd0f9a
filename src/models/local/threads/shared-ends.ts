import type { Batch } from '../../../formats/records/batch.ts';

/** Bytes in shared memory for the ends and kinds of the records of a batch, wherever they begin. */
export const endsBytes = ({ ends, kinds }: Pick<Batch, 'ends' | 'kinds'>): number =>
  ends.byteLength + kinds.byteLength + Int32Array.BYTES_PER_ELEMENT;

/**
 * A batch whose ends and kinds are in shared memory. What a thread gets as a copy in a message becomes garbage that V8 does
 * not collect before it is 64 MB (Node 24 and 26).
 *
 * @param memory at least `endsBytes`
 */
export function withSharedEnds(batch: Batch, { buffer, byteOffset }: Uint8Array): Batch {
  const size = Int32Array.BYTES_PER_ELEMENT;
  const ends = new Int32Array(buffer, Math.ceil(byteOffset / size) * size, batch.ends.length);
  ends.set(batch.ends);
  const kinds = new Uint8Array(buffer, ends.byteOffset + ends.byteLength, batch.kinds.length);
  kinds.set(batch.kinds);
  return { ...batch, ends, kinds };
}
