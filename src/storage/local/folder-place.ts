import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** The real path of a folder that perhaps does not exist yet. */
export async function placeOf(folder: string): Promise<string> {
  const found = await realpath(folder).catch(() => undefined);
  if (found !== undefined) return found;
  const path = resolve(folder);
  const parent = dirname(path);
  return parent === path ? path : join(await placeOf(parent), basename(path));
}
