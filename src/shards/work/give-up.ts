import type { SharedFolder } from '../../storage/shared-folder.ts';
import { failedName } from '../folder/names.ts';
import type { ShardFailure } from '../folder/result-shape.ts';

/** Records that a shard is not tried again, unless somebody asks for it. */
export async function giveUp(
  folder: SharedFolder,
  shard: number,
  failure: Omit<ShardFailure, 'shard'>,
): Promise<void> {
  await folder.create(failedName(shard), JSON.stringify({ shard, ...failure }));
}
