import { unlink, utimes } from 'node:fs/promises';
import { RowcastError } from '../../errors.ts';
import { unwritable } from '../target.ts';
import { createLock, removeDead, sweep } from './lock-file.ts';
import { type FoundLock, readLock } from './lock-holder.ts';

export interface Lock {
  /** Whether a process that died had held it, or had been about to: what that one left beside it may be removed. */
  readonly tookOver: boolean;
  /** The output of that process's run, where it is known. */
  readonly formerOutput: string | undefined;
  release(): Promise<void>;
}

/** A holder touches its lock this often, so that it does not become stale for those who cannot see the process. */
const TOUCH_MS = 5_000;

/**
 * Takes the lock of an output, a file beside it. A lock whose process is gone is taken over at once; one of
 * another machine or container when it was not touched for a minute. What it cannot see: a holder on another
 * host whose clock differs by more than that, or whose file system hides its touches.
 *
 * @param path the lock's own path, of `lockOf`
 * @param name what is locked, for the message
 * @param output the output of the run that takes it: the lock tells it to those who find it without its holder
 * @throws RowcastError `locked`, `unwritable_output`
 */
export async function takeLock(path: string, name: string, output?: string): Promise<Lock> {
  let tookOver = false;
  let formerOutput: string | undefined;
  try {
    while (!(await createLock(path, path, output))) {
      const dead = await removeIfDead(path, name);
      tookOver ||= dead !== undefined;
      formerOutput ??= dead?.output;
    }
  } catch (cause) {
    throw cause instanceof RowcastError ? cause : unwritable(name, cause as Error); // what fs throws
  }
  tookOver = (await sweep(path)) || tookOver;
  const touching = setInterval(() => {
    const now = new Date();
    // The folder is gone: the run's next write reports it.
    utimes(path, now, now).catch(() => {});
  }, TOUCH_MS);
  touching.unref();
  return {
    tookOver,
    formerOutput,
    async release() {
      clearInterval(touching);
      await removeIfCan(path);
    },
  };
}

/** Locks that are held together. */
export interface Locks {
  /** The paths among them that a process that died had held → the output of its run, where it is known. */
  readonly tookOver: ReadonlyMap<string, string | undefined>;
  release(): Promise<void>;
}

/**
 * Takes the locks of several outputs, all or none.
 *
 * @param names lock's path → what is locked, for messages
 * @param output that of the run that takes them
 * @throws RowcastError `locked`, `unwritable_output`
 */
export async function takeLocks(names: ReadonlyMap<string, string>, output?: string): Promise<Locks> {
  const tookOver = new Map<string, string | undefined>();
  const locks: Lock[] = [];
  const release = async (): Promise<void> => {
    for (const lock of locks.reverse()) await lock.release();
  };
  try {
    // In one order, so that of two runs with the same outputs one gets them all.
    for (const [path, name] of [...names].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const lock = await takeLock(path, name, output);
      locks.push(lock);
      if (lock.tookOver) tookOver.set(path, lock.formerOutput);
    }
  } catch (error) {
    await release();
    throw error;
  }
  return { tookOver, release };
}

/**
 * Asks for a lock without taking it.
 *
 * @param path the lock's own path
 * @returns the process that holds it, its id undefined where that is unknown; undefined where none does
 */
export async function holderOf(path: string): Promise<{ pid: number | undefined } | undefined> {
  const found = await readLock(path);
  return found?.isHeld ? { pid: found.pid } : undefined;
}

/** A lock that remains is stale soon, and must not hide a failure of the run. */
const removeIfCan = (path: string): Promise<void> => unlink(path).catch(() => {});

/** @returns the lock, if its holder was dead; throws `locked` when it is alive */
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
      location: { file: name },
      hint: `Wait for it, or stop it; if there is none, remove ${path}.`,
    },
  );
}
