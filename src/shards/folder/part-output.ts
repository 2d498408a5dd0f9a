import { extname } from 'node:path';
import { schemeOf } from '../../base/scheme.ts';
import { type Backends, resolveTarget } from '../../storage/backends.ts';
import { codecOfName, nameOfContent } from '../../storage/codecs/codecs.ts';
import type { Files } from '../../storage/durable-files.ts';
import type { DurableOutput } from '../../storage/durable-output.ts';
import { fileIn } from '../../storage/folders.ts';
import { LocalOutput } from '../../storage/local/local-output.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import { partName } from './names.ts';
import type { ShardPlan } from './plan-shape.ts';

/**
 * Whether the parts of a run are objects, which are complete or not there, and cannot be copied while they are written.
 */
export const isStored = (name: string): boolean => schemeOf(name) !== undefined;

/** The part of an attempt as an output. @param files those of parts that are files */
export async function partOutput(
  path: string,
  among: Backends | undefined,
  files?: Files,
): Promise<DurableOutput> {
  if (!isStored(path)) return new LocalOutput(path, files && { files });
  const { durable } = await resolveTarget(path, false, among);
  if (durable === undefined) throw new TypeError(`partOutput: ${path} is no object`);
  return durable;
}

/**
 * The name of the output of one attempt, which has the format and the compression of the output of its input by its
 * name.
 */
export function partPathOf(
  folder: Pick<SharedFolder, 'path'>,
  plan: Pick<ShardPlan, 'files'>,
  { shard, file, attempt }: { shard: number; file: number; attempt: number },
): string {
  const { output = '' } = plan.files[file] ?? {};
  const suffix = extname(nameOfContent(output)) + codecOfName(output).suffix;
  return fileIn(folder.path, partName(shard, attempt, suffix));
}
