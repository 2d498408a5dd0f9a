import { join } from 'node:path';
import { codecOfName } from '../../storage/codecs/codecs.ts';
import { partName } from './names.ts';
import type { ShardPlan } from './plan-shape.ts';
import type { SharedFolder } from './shared-folder.ts';

/** The path of the output of one attempt, which is compressed as the output of its input is. */
export function partPathOf(
  folder: Pick<SharedFolder, 'path'>,
  plan: Pick<ShardPlan, 'files'>,
  { shard, file, attempt }: { shard: number; file: number; attempt: number },
): string {
  const { suffix } = codecOfName(plan.files[file]?.output ?? '');
  return join(folder.path, partName(shard, attempt, `.csv${suffix}`));
}
