import { readdir, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { RowcastError } from '../../../base/errors.ts';
import { unwritable } from '../../target.ts';
import { createLock, LOCK_SUFFIX, replaceLock, sweep, takeOver } from './lock-file.ts';
import { type FoundLock, readLock } from './lock-holder.ts';

export interface Lock {
  /** Whether a dead process had held it or was taking it: the files that process left may be removed. */
  readonly tookOver: boolean;
  /** The output of that process's run, if known. */
  readonly abandonedOutput: string | undefined;
  release(): Promise<void>;
  /**
   * Releases the lock before anything was done about the files of a dead process: whoever takes it next takes it over
   * from that process.
   */
  giveBack(): Promise<void>;
}

/** A holder touches its lock this often, so that it does not look stale from another machine. */
const TOUCH_MS = 5_000;

/**
 * Takes the lock of an output, a file next to it. A lock whose process has died is taken over at once; one of another
 * machine or container if it was not touched for a minute. Not detected: a live holder on another host whose clock
 * differs by more than that, or whose touches the file system does not show.
 *
 * @param path the lock file, from `lockOf`
 * @param name what is locked, for the message
 * @param output the output of the run; stored in the lock for whoever takes it over
 * @throws RowcastError `locked`, `unwritable_output`
 */
export async function takeLock(path: string, name: string, output?: string): Promise<Lock> {
  let dead: FoundLock | undefined;
  try {
    while (dead === undefined && !(await createLock(path, path, output))) {
      const found = await deadLock(path, name);
      if (found !== undefined && (await takeOver(path, found.text, output))) dead = found;
    }
  } catch (cause) {
    throw cause instanceof RowcastError ? cause : unwritable(name, cause as Error); // errors of fs
  }
  const swept = await sweep(path);
  const former = dead ?? swept;
  const touching = setInterval(() => {
    const now = new Date();
    // If the folder is gone, the run's next write reports it.
    utimes(path, now, now).catch(() => {});
  }, TOUCH_MS);
  touching.unref();
  const release = async (): Promise<void> => {
    clearInterval(touching);
    await removeIfCan(path);
  };
  return {
    tookOver: former !== undefined,
    abandonedOutput: dead?.output,
    release,
    async giveBack() {
      if (former === undefined) return release();
      clearInterval(touching);
      // Without a recent touch, so that it is dead for other machines too.
      await replaceLock(path, former.text)
        .then(() => utimes(path, 0, 0))
        .catch(release);
    },
  };
}

/** Several locks, which are released together. */
export interface Locks {
  /** Locks taken over from a dead process → the output of its run, if known. */
  readonly tookOver: ReadonlyMap<string, string | undefined>;
  release(): Promise<void>;
  /** As `Lock.giveBack`, for all of them. */
  giveBack(): Promise<void>;
}

/**
 * Takes the locks of several outputs, all or none.
 *
 * @param names lock file → what is locked, for messages
 * @param output the output of the run
 * @throws RowcastError `locked`, `unwritable_output`
 */
export async function takeLocks(names: ReadonlyMap<string, string>, output?: string): Promise<Locks> {
  const tookOver = new Map<string, string | undefined>();
  const locks: Lock[] = [];
  const endAll = async (end: (lock: Lock) => Promise<void>): Promise<void> => {
    for (const lock of locks.reverse()) await end(lock);
  };
  const giveBack = (): Promise<void> => endAll(lock => lock.giveBack());
  try {
    // Always in the same order, so that two runs with the same outputs cannot block each other.
    for (const [path, name] of [...names].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const lock = await takeLock(path, name, output);
      locks.push(lock);
      if (lock.tookOver) tookOver.set(path, lock.abandonedOutput);
    }
  } catch (error) {
    await giveBack();
    throw error;
  }
  return { tookOver, release: () => endAll(lock => lock.release()), giveBack };
}

/**
 * Removes the locks that a dead process has left in a folder for the files of one run, and what it has written of them.
 *
 * @param output of its run, absolute
 */
export async function removeDeadLocks(folder: string, output: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const found = name.endsWith(LOCK_SUFFIX) ? await readLock(path) : undefined;
    if (found === undefined || found.isHeld || found.output !== output) continue;
    const lock = await takeLock(path, path, output);
    await unlink(`${path.slice(0, -LOCK_SUFFIX.length)}.partial`).catch(() => {}); // most have none
    await lock.release();
  }
}

/**
 * Checks a lock without taking it.
 *
 * @param path the lock file
 * @returns the process that holds it, with its pid if known; undefined if it is not held
 */
export async function holderOf(
  path: string,
): Promise<{ pid: number | undefined; host: string | undefined } | undefined> {
  const found = await readLock(path);
  return found?.isHeld ? { pid: found.pid, host: found.host } : undefined;
}

/** A failure to remove the lock must not hide a failure of the run; the lock soon becomes stale. */
const removeIfCan = (path: string): Promise<void> => unlink(path).catch(() => {});

/**
 * The lock of a dead process; undefined if it was removed in the meantime.
 *
 * @throws RowcastError `locked` if its holder is alive
 */
async function deadLock(path: string, name: string): Promise<FoundLock | undefined> {
  const found = await readLock(path);
  if (!found?.isHeld) return found;
  const { pid } = found;
  throw new RowcastError(
    'locked',
    `another run is writing this file${pid === undefined ? '' : `, process ${pid}`}`,
    {
      severity: 'temporary',
      location: { file: name },
      hint: `Wait for it or stop it. If it is no longer running, remove ${path}.`,
    },
  );
}
