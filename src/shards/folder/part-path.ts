import { extname } from 'node:path';
import { codecOfName, nameOfContent } from '../../storage/codecs/codecs.ts';
import { fileIn } from '../../storage/folders.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import { partName } from './names.ts';
import type { ShardPlan } from './plan-shape.ts';

/** The name of the output of one attempt, which has the format and the compression of the output of its input by its name. */
export function partPathOf(
  folder: Pick<SharedFolder, 'path'>,
  plan: Pick<ShardPlan, 'files'>,
  { shard, file, attempt }: { shard: number; file: number; attempt: number },
): string {
  const { output = '' } = plan.files[file] ?? {};
  const suffix = extname(nameOfContent(output)) + codecOfName(output).suffix;
  return fileIn(folder.path, partName(shard, attempt, suffix));
}
