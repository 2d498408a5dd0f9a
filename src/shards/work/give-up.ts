import { failedName } from '../folder/names.ts';
import type { SharedFolder } from '../folder/shared-folder.ts';
import type { ShardFailure } from './result-shape.ts';

/** Records that a shard is not tried again, unless somebody asks for it. */
export async function giveUp(
  folder: SharedFolder,
  shard: number,
  failure: Omit<ShardFailure, 'shard'>,
): Promise<void> {
  await folder.create(failedName(shard), JSON.stringify({ shard, ...failure }));
}
