import pLimit from 'p-limit';
import { copiedRanges } from './copied-ranges.ts';
import type { CopiedRange } from './object-client.ts';
import type { PatientClient } from './patient-client.ts';
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
  object: PatientClient,
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
