import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RowcastError } from '../../base/errors.ts';
import type { SharedDocument } from '../backend.ts';
import { diskFiles } from '../durable-files.ts';
import { privateAccess } from './access.ts';
import { replaceFile } from './atomic-write.ts';
import { lockOf } from './locks/lock-file.ts';
import { takeLock } from './locks/output-lock.ts';

const LOCK_TRIES = 100;
const LOCK_WAIT_MS = 50;

/** A file that only its owner may read, changed under a lock. */
export const localDocument = (path: string): SharedDocument => ({
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
