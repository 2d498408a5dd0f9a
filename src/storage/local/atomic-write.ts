import { randomBytes } from 'node:crypto';
import { link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes and syncs a new file that only its owner can read (mode 0600). */
export async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes creations, renames and removals in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Renames a file unless the name is taken. On file systems without hard links (FAT), the name is reserved first. */
async function create(written: string, path: string): Promise<void> {
  try {
    await link(written, path);
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException; // errors of fs
    if (!['EPERM', 'EOPNOTSUPP', 'ENOTSUP', 'ENOSYS', 'EMLINK', 'EXDEV'].includes(code)) throw cause;
    await (await open(path, 'wx', 0o600)).close();
    await rename(written, path);
  }
}

/**
 * Writes a file atomically. Only its owner can read it, whatever the mode of a previous file was.
 *
 * @throws NodeJS.ErrnoException `EEXIST` if `how` is `create` and the file exists
 */
export async function placeFile(path: string, text: string, how: 'create' | 'replace'): Promise<void> {
  const written = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeDurably(written, Buffer.from(text));
    await (how === 'create' ? create(written, path) : rename(written, path));
    await syncFolder(dirname(path));
  } finally {
    // Gone after a rename; after a failure, that failure is reported.
    await rm(written, { force: true }).catch(() => {});
  }
}
