import { readdir, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { folderOfPattern, isOutputPattern } from '../../runs/several/output-pattern.ts';
import { isMissing, unlessAbsent } from '../../storage/local/missing.ts';

/** Longest chain of links; Linux follows 40 (path_resolution(7)). */
const MOST_LINKS = 40;

/**
 * Finds a symbolic link by which a path below a folder leads out of it: an archive may contain links too.
 *
 * @param isWritten whether files next to the path are written too, such as its rejects, or all files below it
 * @returns the path that leads out, if there is one
 */
export async function linkOutside(
  folder: string,
  path: string,
  isWritten: boolean,
): Promise<string | undefined> {
  const real = await realpath(folder);
  const leadsOut = async (name: string): Promise<boolean> => {
    const end = await endOf(resolve(name));
    return end === undefined || relative(real, end).split('/')[0] === '..';
  };
  const isPattern = isWritten && isOutputPattern(path);
  const start = isPattern ? folderOfPattern(path) : path;
  if (await leadsOut(start)) return start;
  if (!isWritten) return undefined;
  const next = isPattern ? [] : (await linksIn(dirname(path), false)).filter(link => link.startsWith(path));
  for (const link of [...next, ...(await linksIn(start, true))]) if (await leadsOut(link)) return link;
  return undefined;
}

/** Where a path leads, whether or not anything is there; undefined if its links have no end. */
async function endOf(path: string, links = 0): Promise<string | undefined> {
  if (links > MOST_LINKS) return undefined;
  try {
    return await realpath(path);
  } catch (cause) {
    if (!isMissing(cause)) return undefined;
  }
  const folder = dirname(path) === path ? path : await endOf(dirname(path), links);
  if (folder === undefined || folder === path) return folder;
  const end = join(folder, basename(path));
  const link = await readlink(end).catch(() => undefined); // not a link, or nothing there
  return link === undefined ? end : endOf(resolve(folder, link), links + 1);
}

/** The links in a folder; nothing if there is no folder. */
async function linksIn(folder: string, recursive: boolean): Promise<string[]> {
  const entries = (await readdir(folder, { withFileTypes: true, recursive }).catch(unlessAbsent)) ?? [];
  return entries
    .filter(entry => entry.isSymbolicLink())
    .map(({ parentPath, name }) => join(parentPath, name));
}
