import { randomBytes } from 'node:crypto';
import { link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a new file that only its owner can read (0600), and syncs it. */
export async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes what was created, renamed or removed in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Names a file where nothing has that name; where hard links are refused (FAT), the name is reserved first. */
async function create(written: string, path: string): Promise<void> {
  try {
    await link(written, path);
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException; // what fs throws
    if (!['EPERM', 'EOPNOTSUPP', 'ENOTSUP', 'ENOSYS', 'EMLINK', 'EXDEV'].includes(code)) throw cause;
    await (await open(path, 'wx', 0o600)).close();
    await rename(written, path);
  }
}

/**
 * A file at `path` that appears whole, readable by its owner alone, whatever mode an older one had.
 *
 * @throws NodeJS.ErrnoException `EEXIST` where `how` is `create` and something is there
 */
export async function placeFile(path: string, text: string, how: 'create' | 'replace'): Promise<void> {
  const written = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeDurably(written, Buffer.from(text));
    await (how === 'create' ? create(written, path) : rename(written, path));
    await syncFolder(dirname(path));
  } finally {
    // After a rename it is gone; after a failure that is what is told.
    await rm(written, { force: true }).catch(() => {});
  }
}
