import type { SharedFolder } from '../../storage/shared-folder.ts';
import { beatName } from '../folder/names.ts';
import { isDamage, readOnce } from '../folder/read-record.ts';
import { type Beat, beatShape } from '../folder/result-shape.ts';

/** The last heartbeat of an attempt; undefined before the first one, or if it is damaged: the next one replaces it. */
export async function readBeat(
  folder: SharedFolder,
  shard: number,
  attempt: number,
): Promise<Beat | undefined> {
  try {
    return await readOnce(folder, beatName(shard, attempt), beatShape);
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}
