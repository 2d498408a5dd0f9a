import { randomBytes } from 'node:crypto';
import { closeSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { link, open, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { diskFiles, type Files, type WritableFile } from '../durable-files.ts';
import { type FileAccess, keepAccess, privateAccess } from './access.ts';

/** Writes and syncs a new file that only its owner can read. Its name is durable after `syncFolder`. */
export async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await diskFiles.open(path, privateAccess);
  try {
    await fill(file, bytes);
  } catch (error) {
    await file.close().catch(() => {}); // the first error is reported
    throw error;
  }
}

/**
 * Replaces a file atomically: writes and syncs a new one, then renames it over the old one. A reader sees the one or
 * the other; the rename is durable after `syncFolder`.
 *
 * @param next where the new file is written; in the same folder
 */
export async function replaceFile(
  files: Files,
  path: string,
  bytes: Uint8Array,
  { next, access }: { next: string; access: FileAccess },
): Promise<void> {
  const file = await files.open(next, access);
  try {
    await fill(file, bytes);
    await files.rename(next, path);
  } catch (error) {
    await file.close().catch(() => {}); // the first error is reported
    await files.remove(next).catch(() => {}); // it would block the next run
    throw error;
  }
}

async function fill(file: WritableFile, bytes: Uint8Array): Promise<void> {
  await file.truncate(0);
  await file.append(bytes);
  await file.sync();
  await file.close();
}

/** Between the name of a file and random digits, while it is written. */
const NEW = '.new.';

/** Whether `placeFile` has given this name to a file that is not complete. */
export const isUnplaced = (name: string): boolean => /\.new\.[0-9a-f]{12}$/.test(name);

/**
 * Writes a file atomically and durably. Only its owner can read it, whatever the mode of a previous file was.
 *
 * @throws NodeJS.ErrnoException `EEXIST` if `how` is `create` and the file exists
 */
export async function placeFile(path: string, text: string, how: 'create' | 'replace'): Promise<void> {
  const bytes = Buffer.from(text);
  const next = `${path}${NEW}${randomBytes(6).toString('hex')}`;
  if (how === 'replace') await replaceFile(diskFiles, path, bytes, { next, access: privateAccess });
  else
    try {
      await writeDurably(next, bytes);
      await createUnlessTaken(next, path);
    } finally {
      // Gone after a rename; after a failure, that failure is reported.
      await rm(next, { force: true }).catch(() => {});
    }
  await diskFiles.syncFolder(dirname(path));
}

/**
 * Replaces a file atomically before it returns, for a process that is about to end. A write to the same partial file
 * that is still in progress does not mix with it.
 *
 * @param next where the new file is written; in the same folder
 * @throws NodeJS.ErrnoException
 */
export function replaceFileNow(
  path: string,
  bytes: Uint8Array,
  { next, access }: { next: string; access: FileAccess },
): void {
  rmSync(next, { force: true });
  const file = openSync(next, 'wx', access.mode);
  try {
    keepAccess(file, access);
    writeFileSync(file, bytes, { flush: true });
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  renameSync(next, path);
}

/** Errors of file systems without hard links: FAT reports EPERM, FUSE and network file systems the others. */
const NO_LINKS = ['EPERM', 'EOPNOTSUPP', 'ENOTSUP', 'ENOSYS', 'EMLINK', 'EXDEV'];

/**
 * Gives a written file a name unless it is taken. If two processes try at the same time, one succeeds. On file systems
 * without hard links, an empty file reserves the name for a moment.
 *
 * @param written in the same folder; it may still be there under this name afterwards
 * @throws NodeJS.ErrnoException `EEXIST` if the name is taken
 */
async function createUnlessTaken(written: string, path: string): Promise<void> {
  try {
    await link(written, path);
  } catch (cause) {
    if (!NO_LINKS.includes(codeOf(cause))) throw cause;
    await (await open(path, 'wx')).close();
    try {
      await rename(written, path);
    } catch (failure) {
      await unlink(path);
      throw failure;
    }
  }
}

/**
 * Creates a file that only its owner can read, with its content, unless it exists. It is not synced: it is only needed
 * while this process runs.
 *
 * @param written an unused path in the same folder; if another process removes that file too early, it is written again
 * @returns false if the file already exists
 */
export async function createWhole(path: string, text: string, written: string): Promise<boolean> {
  await writeFile(written, text, { flag: 'wx', mode: 0o600 });
  try {
    await createUnlessTaken(written, path);
    return true;
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') return false;
    if (codeOf(cause) === 'ENOENT') return await createWhole(path, text, written);
    throw cause;
  } finally {
    await unlink(written).catch(() => {}); // renamed, or removed by another process
  }
}

const codeOf = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? ''; // errors of fs
