import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { schemeOf } from '../../base/scheme.ts';

/** What every pattern contains; most names do not, and are not looked up. */
const SPECIAL = /[*?[{]/;

/** Whether a name is a pattern, such as `in/2*.csv`. The name of an existing file is never one. */
export async function isPattern(name: string): Promise<boolean> {
  if (!SPECIAL.test(name) || schemeOf(name) !== undefined) return false;
  if ((await stat(name).catch(() => undefined)) !== undefined) return false;
  const { isDynamicPattern } = await import('tinyglobby');
  return isDynamicPattern(name);
}

/**
 * The files that a pattern matches, sorted. A link to a file is a file of its own, as for a shell. A folder is read once,
 * even if links lead to it on several ways, because they may lead in a circle.
 */
export async function filesMatching(pattern: string): Promise<string[]> {
  const { glob } = await import('tinyglobby');
  const found = await glob(pattern, { expandDirectories: false });
  const byPlace = new Map<string, string>();
  const folders = new Map<string, Promise<string>>();
  for (const path of found.sort()) {
    const folder = dirname(path);
    const real = folders.get(folder) ?? realpath(folder).catch(() => folder); // if it is gone, its runs report it
    folders.set(folder, real);
    const place = join(await real, basename(path));
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
