import { unlink, utimes } from 'node:fs/promises';
import { RowcastError } from '../../../base/errors.ts';
import { unwritable } from '../../target.ts';
import { createLock, removeDead, sweep } from './lock-file.ts';
import { type FoundLock, readLock } from './lock-holder.ts';

export interface Lock {
  /** Whether a dead process had held it or was taking it: the files that process left may be removed. */
  readonly tookOver: boolean;
  /** The output of that process's run, if known. */
  readonly abandonedOutput: string | undefined;
  release(): Promise<void>;
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
  let tookOver = false;
  let abandonedOutput: string | undefined;
  try {
    while (!(await createLock(path, path, output))) {
      const dead = await removeIfDead(path, name);
      tookOver ||= dead !== undefined;
      abandonedOutput ??= dead?.output;
    }
  } catch (cause) {
    throw cause instanceof RowcastError ? cause : unwritable(name, cause as Error); // errors of fs
  }
  tookOver = (await sweep(path)) || tookOver;
  const touching = setInterval(() => {
    const now = new Date();
    // If the folder is gone, the run's next write reports it.
    utimes(path, now, now).catch(() => {});
  }, TOUCH_MS);
  touching.unref();
  return {
    tookOver,
    abandonedOutput,
    async release() {
      clearInterval(touching);
      await removeIfCan(path);
    },
  };
}

/** Several locks, which are released together. */
export interface Locks {
  /** Locks taken over from a dead process → the output of its run, if known. */
  readonly tookOver: ReadonlyMap<string, string | undefined>;
  release(): Promise<void>;
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
  const release = async (): Promise<void> => {
    for (const lock of locks.reverse()) await lock.release();
  };
  try {
    // Always in the same order, so that two runs with the same outputs cannot block each other.
    for (const [path, name] of [...names].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const lock = await takeLock(path, name, output);
      locks.push(lock);
      if (lock.tookOver) tookOver.set(path, lock.abandonedOutput);
    }
  } catch (error) {
    await release();
    throw error;
  }
  return { tookOver, release };
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

/** @returns the lock, if its holder was dead; throws `locked` if it is alive */
async function removeIfDead(path: string, name: string): Promise<FoundLock | undefined> {
  const found = await readLock(path);
  if (found === undefined) return undefined;
  const { text, pid, isHeld } = found;
  if (!isHeld) {
    await removeDead(path, text, path);
    return found;
  }
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
