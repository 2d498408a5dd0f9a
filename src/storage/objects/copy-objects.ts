import pLimit from 'p-limit';
import type { CopiedRange, WritableObject } from './object-client.ts';
import { StoreError } from './store-error.ts';

/** Parts that a store copies at a time: it needs seconds for each. */
const COPIES = 4;

/**
 * Makes whole objects, one after the other, a new one, by requests of which none carries their bytes.
 *
 * @param sources their URLs and sizes in bytes
 * @param token by which the new one can be recognized
 * @param onBytes called with the bytes so far
 * @returns false if the store cannot copy these
 * @throws StoreError
 */
export async function copyObjects(
  object: WritableObject,
  sources: readonly { address: string; bytes: number }[],
  token: string,
  onBytes?: (bytes: number) => void,
): Promise<boolean> {
  const { copyPart } = object;
  const ranges = copiedRanges(sources);
  if (copyPart === undefined || ranges === undefined) return false;
  const upload = await object.beginUpload(token);
  const limit = pLimit(COPIES);
  let copied = 0;
  const copy = async (range: CopiedRange, index: number): Promise<string> => {
    const tag = await copyPart(upload, index + 1, range);
    copied += range.end - range.from;
    onBytes?.(copied);
    return tag;
  };
  try {
    const tags = await Promise.all(ranges.map((range, index) => limit(copy, range, index)));
    await object.complete(upload, tags, token);
    return true;
  } catch (error) {
    limit.clearQueue();
    await object.abort(upload);
    // Some services copy nothing, and others do not find parts whose sizes differ.
    if (error instanceof StoreError && ['refused', 'missing'].includes(error.failure)) return false;
    throw error;
  }
}

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
 * @returns undefined if the objects are empty, need too many parts, or if one other than the last is too small for a
 *   part
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
