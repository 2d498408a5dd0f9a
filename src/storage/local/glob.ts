import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { schemeOf } from '../../scheme.ts';

/** What every pattern contains; most names do not, and are not looked up. */
const SPECIAL = /[*?[{]/;

/** Whether a name is a pattern, such as `in/2*.csv`. The name of an existing file is never one. */
export async function isPattern(name: string): Promise<boolean> {
  if (!SPECIAL.test(name) || schemeOf(name) !== undefined) return false;
  if ((await stat(name).catch(() => undefined)) !== undefined) return false;
  const { isDynamicPattern } = await import('tinyglobby');
  return isDynamicPattern(name);
}

/** The files that a pattern matches, sorted; each once, even if links lead to it on several ways. */
export async function filesMatching(pattern: string): Promise<string[]> {
  const { glob } = await import('tinyglobby');
  const found = (await glob(pattern, { expandDirectories: false })).sort();
  const byPlace = new Map<string, string>();
  for (const path of found) {
    const place = await realpath(path).catch(() => path); // if it is gone, its run reports it
    const other = byPlace.get(place);
    if (other === undefined || path.length < other.length) byPlace.set(place, path);
  }
  return [...byPlace.values()].sort();
}

/** The folder that all files of a pattern are in: `in` for `in/2*.csv`. */
export function fixedFolderOf(pattern: string, special = SPECIAL): string {
  let folder = dirname(pattern);
  while (special.test(folder)) folder = dirname(folder);
  return folder;
}
