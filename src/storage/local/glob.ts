import * as fs from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { SPECIAL } from '../folders.ts';

/** Whether a name is a pattern, such as `in/2*.csv`. The name of an existing file is never one. */
export async function isPattern(name: string): Promise<boolean> {
  if (!SPECIAL.test(name)) return false;
  if ((await stat(name).catch(() => undefined)) !== undefined) return false;
  const { isDynamicPattern } = await import('tinyglobby');
  return isDynamicPattern(name);
}

/**
 * The files that a pattern matches, sorted. A link to a file is a file of its own, as for a shell. A folder is read once,
 * even if links lead to it on several ways, because they may lead in a circle. A link to nothing is among the files: opening it
 * says what is wrong.
 */
export async function filesMatching(pattern: string): Promise<string[]> {
  const { glob } = await import('tinyglobby');
  const found = await glob(pattern, {
    expandDirectories: false,
    // Else they are relative to the working directory.
    absolute: isAbsolute(pattern),
    fs: withDeadLinks,
  });
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

type Done<Result> = (error: NodeJS.ErrnoException | null, result: Result) => void;

/** What the search calls for a link: one that leads nowhere stands for itself, while the search would leave it out. */
const withDeadLinks = {
  // The search passes a path and a callback only.
  realpath: ((path: string, done: Done<string>) =>
    fs.realpath(path, (error, real) => done(null, error === null ? real : path))) as typeof fs.realpath,
  stat: ((path: string, done: Done<fs.Stats>) =>
    fs.stat(path, (error, found) =>
      error === null ? done(null, found) : fs.lstat(path, done),
    )) as typeof fs.stat,
};
