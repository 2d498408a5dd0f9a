import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ASSEMBLED, PLAN } from '../../shards/folder/names.ts';
import { type SharedFolder, sharedFolder } from '../../shards/folder/shared-folder.ts';

/** Where the shards of an output are, unless --shards says otherwise. */
export const shardsOf = (output: string): string => `${output}.shards`;

/** The folder of a sharded run by its own path or that of its output; undefined if there is no plan in either. */
export async function findShards(path: string): Promise<SharedFolder | undefined> {
  for (const folder of [path, shardsOf(path)])
    for (const file of [PLAN, ASSEMBLED])
      if ((await stat(join(folder, file)).catch(() => undefined)) !== undefined) return sharedFolder(folder);
  return undefined;
}

/** The folder of a sharded run by its own path or that of its output; without a plan, the folder where it would be. */
export async function shardsAt(path: string): Promise<SharedFolder> {
  const isFile = (await stat(path).catch(() => undefined))?.isFile() === true;
  return (await findShards(path)) ?? sharedFolder(isFile ? shardsOf(path) : path);
}
