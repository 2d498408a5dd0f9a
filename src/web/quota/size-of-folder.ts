import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessMissing } from '../../storage/local/missing.ts';

/** Bytes of the files in a folder; 0 if it does not exist. */
export async function sizeOfFolder(folder: string): Promise<number> {
  const names = (await readdir(folder).catch(unlessMissing)) ?? [];
  const found = await Promise.all(names.map(name => stat(join(folder, name)).catch(unlessMissing)));
  return found.reduce((sum, file) => sum + (file?.size ?? 0), 0);
}
