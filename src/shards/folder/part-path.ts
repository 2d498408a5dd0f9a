import { codecOfName } from '../../storage/codecs/codecs.ts';
import { fileIn } from '../../storage/folders.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import { partName } from './names.ts';
import type { ShardPlan } from './plan-shape.ts';

/** The name of the output of one attempt, which is compressed as the output of its input is. */
export function partPathOf(
  folder: Pick<SharedFolder, 'path'>,
  plan: Pick<ShardPlan, 'files'>,
  { shard, file, attempt }: { shard: number; file: number; attempt: number },
): string {
  const { suffix } = codecOfName(plan.files[file]?.output ?? '');
  return fileIn(folder.path, partName(shard, attempt, `.csv${suffix}`));
}
