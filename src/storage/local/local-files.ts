import * as fs from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RowcastError } from '../../base/errors.ts';
import type { Backend, SharedDocument } from '../backend.ts';
import { refuseUnsupportedCompression } from '../codecs/refuse-unsupported-output.ts';
import { diskFiles, type Files } from '../durable-files.ts';
import { SPECIAL } from '../folders.ts';
import { type Target, unwritable } from '../target.ts';
import { privateAccess } from './access.ts';
import { replaceFile } from './atomic-write.ts';
import { deviceTarget, fileTarget } from './file-target.ts';
import { localFolder } from './local-folder.ts';
import { openLocalInput } from './local-input.ts';
import { lockOf } from './locks/lock-file.ts';
import { takeLock } from './locks/output-lock.ts';
import { isMissing } from './missing.ts';
import { followLinks } from './sibling-path.ts';

/**
 * Paths: regular files, FIFOs and devices.
 *
 * @param files writes durable outputs
 */
export const localFiles = (files?: Files): Backend => ({
  openInput: openLocalInput,
  resolveTarget: (output, isPrivate) => resolveTarget(output, isPrivate, files),
  async versionOf(path) {
    const found = await stat(path).catch(() => undefined);
    return found && { size: found.size, modified: found.mtimeMs };
  },
  isPattern: isLocalPattern,
  namesMatching: filesMatching,
  document: localDocument,
  sharedFolder: localFolder,
});

async function resolveTarget(output: string, isPrivate: boolean, files: Files | undefined): Promise<Target> {
  const found = await stat(output).catch((cause: NodeJS.ErrnoException) => {
    if (isMissing(cause)) return undefined;
    throw unwritable(output, cause);
  });
  if (found?.isDirectory()) throw unwritable(output, new Error('it is a folder'));
  // Not followed: the link target of /dev/fd/N is not a path (`pipe:[1234]`).
  if (found !== undefined && !found.isFile()) return deviceTarget(output, found.isFIFO());
  const path = await followLinks(output);
  refuseUnsupportedCompression(output);
  return fileTarget(output, path, isPrivate, files);
}

const LOCK_TRIES = 100;
const LOCK_WAIT_MS = 50;

/** A file that only its owner may read, changed under a lock. */
const localDocument = (path: string): SharedDocument => ({
  read: () => diskFiles.read(path),
  async update(change) {
    const lock = await lockSoon(path);
    try {
      const bytes = change(await diskFiles.read(path).catch(() => undefined));
      // Only the holder of the lock writes it. A killed command, perhaps another user's, may have left one.
      const next = `${path}.new`;
      await diskFiles.remove(next);
      await replaceFile(diskFiles, path, bytes, { next, access: privateAccess });
      await diskFiles.syncFolder(dirname(path));
    } finally {
      await lock.release();
    }
  },
});

/** Another command holds the lock only for as long as it writes. */
async function lockSoon(path: string) {
  for (let tries = 1; ; tries++)
    try {
      return await takeLock(lockOf(path), path);
    } catch (error) {
      if (tries === LOCK_TRIES || !(error instanceof RowcastError && error.code === 'locked')) throw error;
      await sleep(LOCK_WAIT_MS);
    }
}

/** Whether a name is a pattern, such as `in/2*.csv`. The name of an existing file is never one. */
export async function isLocalPattern(name: string): Promise<boolean> {
  if (!SPECIAL.test(name)) return false;
  if ((await stat(name).catch(() => undefined)) !== undefined) return false;
  const { isDynamicPattern } = await import('tinyglobby');
  return isDynamicPattern(name);
}

/**
 * The files that a pattern matches, sorted. A link to a file is a file of its own, as for a shell. A folder is read
 * once, even if links lead to it on several ways, because they may lead in a circle. A link to nothing is among the
 * files: opening it says what is wrong.
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
