import * as fs from 'node:fs';
import { readdir, realpath, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RowcastError } from '../../base/errors.ts';
import { reasonOf, TRY_AGAIN } from '../../base/system-error.ts';
import type { Backend, SharedDocument } from '../backend.ts';
import { refuseUnsupportedCompression } from '../codecs/refuse-unsupported-output.ts';
import { diskFiles, type Files } from '../durable-files.ts';
import { SPECIAL } from '../folders.ts';
import { type FolderLayout, isOfLayout, type SharedFolder } from '../shared-folder.ts';
import { type Target, unwritable } from '../target.ts';
import { privateAccess } from './access.ts';
import { placeFile, replaceFile } from './atomic-write.ts';
import { deviceTarget, fileTarget } from './file-target.ts';
import { openLocalInput } from './local-input.ts';
import { lockOf } from './locks/lock-file.ts';
import { takeLock } from './locks/output-lock.ts';
import { makeFolders, refuseUnmounted } from './make-folders.ts';
import { isMissing, unlessMissing } from './missing.ts';
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

/** A folder of a file system that all machines have mounted. */
function localFolder(path: string, layout: FolderLayout): SharedFolder {
  const failed = (name: string, cause: Error): Error =>
    isMissing(cause) ? cause : unwritable(join(path, name), cause, 'stopped');
  return {
    path,
    async prepare() {
      await refuseUnmounted(path);
      for (const folder of layout.folders)
        await makeFolders(join(path, folder)).catch(cause => {
          throw unwritable(path, cause);
        });
    },
    async create(name, text) {
      try {
        await placeFile(join(path, name), text, 'create');
        return true;
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false; // errors of fs
        throw failed(name, cause as Error); // errors of fs
      }
    },
    replace: (name, text) =>
      placeFile(join(path, name), text, 'replace').catch(cause => {
        throw failed(name, cause);
      }),
    async read(name) {
      const text = await diskFiles.read(join(path, name)).catch(cause => {
        throw unreadableFolder(join(path, name), cause);
      });
      return text?.toString();
    },
    modified: async name => (await stat(join(path, name)).catch(() => undefined))?.mtime,
    async list(folder) {
      const names = await readdir(join(path, folder))
        .catch(unlessMissing)
        .catch(cause => {
          throw unreadableFolder(join(path, folder), cause);
        });
      return (names ?? []).sort();
    },
    remove: name =>
      diskFiles.remove(join(path, name)).catch(cause => {
        throw failed(name, cause);
      }),
    async discard(last) {
      const own = ((await readdir(path).catch(unlessMissing)) ?? []).filter(name => isOfLayout(layout, name));
      for (const name of [...own.filter(name => name !== last), last])
        await rm(join(path, name), { recursive: true, force: true, maxRetries: 3 });
      await rmdir(path).catch(unlessNeeded);
    },
  };
}

/** Other files may be in the folder, and another process may have removed it. */
function unlessNeeded(cause: NodeJS.ErrnoException): void {
  if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(cause.code ?? '')) throw cause;
}

/** Errors that do not pass by themselves, unlike those of a file server that is restarted, which may be EIO. */
const LASTING = ['EACCES', 'EPERM', 'EISDIR', 'ENOTDIR'];

function unreadableFolder(file: string, cause: NodeJS.ErrnoException): RowcastError {
  const isLasting = LASTING.includes(cause.code ?? '');
  return new RowcastError('unreadable_input', `cannot read the folder of the shards: ${reasonOf(cause)}`, {
    severity: isLasting ? 'stopped' : 'temporary',
    location: { file },
    hint: isLasting
      ? 'Run all commands of a run as the same user: nobody else can read its files.'
      : TRY_AGAIN,
    cause,
  });
}
