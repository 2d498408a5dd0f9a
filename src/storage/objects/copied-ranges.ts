import type { CopiedRange } from './object-client.ts';

/** Limits of S3 for the parts of an upload (docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html). */
const MIN_BYTES = 5 << 20;
const MAX_BYTES = 5 * 2 ** 30;
const MAX_PARTS = 10_000;

/** Bytes of a part of an object that is larger than a part may be: two of them are always large enough. */
const PIECE_BYTES = 2 ** 30;

/**
 * The parts of an upload that consists of whole objects, in order.
 *
 * @param objects their URLs and sizes in bytes
 * @returns undefined if the objects are empty, need too many parts, or if one other than the last is too small for a part
 */
export function copiedRanges(
  objects: readonly { address: string; bytes: number }[],
): CopiedRange[] | undefined {
  const filled = objects.filter(({ bytes }) => bytes > 0);
  if (filled.length === 0 || filled.slice(0, -1).some(({ bytes }) => bytes < MIN_BYTES)) return undefined;
  const ranges = filled.flatMap(({ address: name, bytes }) => {
    if (bytes <= MAX_BYTES) return [{ name, from: 0, end: bytes, isWhole: true }];
    const pieces = Math.floor(bytes / PIECE_BYTES);
    return Array.from({ length: pieces }, (_, piece) => ({
      name,
      from: piece * PIECE_BYTES,
      // The last one has the rest too.
      end: piece === pieces - 1 ? bytes : (piece + 1) * PIECE_BYTES,
      isWhole: false,
    }));
  });
  return ranges.length <= MAX_PARTS ? ranges : undefined;
}
