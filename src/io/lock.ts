import { createHash, randomBytes } from 'node:crypto';
import { readdir, unlink, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { RowcastError } from '../errors.ts';
import { beside } from './beside.ts';
import { createWhole } from './create-whole.ts';
import { readLock, thisProcess } from './lock-holder.ts';
import { unwritable } from './target.ts';

export interface Lock {
  /** Whether a process that died had held it, or had been about to: what that one left beside it may be removed. */
  readonly tookOver: boolean;
  release(): Promise<void>;
}

/** A holder touches its lock this often, so that it does not become stale for those who cannot see the process. */
const TOUCH_MS = 5_000;
/** Removing a stale lock takes about this long; then it is looked at again. */
const GUARDED_MS = 5;

/** Follows a lock's name, behind a dot: hex digits of guards, and of locks that are being created. */
const MARK_DIGITS = 16;

/** The lock file of an output. */
export const lockOf = (output: string): string => beside(output, '.lock', 1 + MARK_DIGITS);

/**
 * Takes the lock of an output, a file beside it. A lock whose process is gone is taken over at once; one of
 * another machine or container when it was not touched for a minute. What it cannot see: a holder on another
 * host whose clock differs by more than that, or whose file system hides its touches.
 *
 * @param path the lock's own path, of `lockOf`
 * @param output the output, for the message
 * @throws RowcastError `locked`, `unwritable_output`
 */
export async function takeLock(path: string, output: string): Promise<Lock> {
  let tookOver = false;
  try {
    while (!(await createLock(path, path))) tookOver = (await removeIfDead(path, output)) || tookOver;
  } catch (cause) {
    throw cause instanceof RowcastError ? cause : unwritable(output, cause as Error); // what fs throws
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
    async release() {
      clearInterval(touching);
      await removeIfCan(path);
    },
  };
}

/** Locks that are held together. */
export interface Locks {
  /** The paths among them that a process that died had held. */
  readonly tookOver: ReadonlySet<string>;
  release(): Promise<void>;
}

/**
 * Takes the locks of several outputs, all or none.
 *
 * @param outputs lock's path → the output, for messages
 * @throws RowcastError `locked`, `unwritable_output`
 */
export async function takeLocks(outputs: ReadonlyMap<string, string>): Promise<Locks> {
  const tookOver = new Set<string>();
  const locks: Lock[] = [];
  const release = async (): Promise<void> => {
    for (const lock of locks.reverse()) await lock.release();
  };
  try {
    // In one order, so that of two runs with the same outputs one gets them all.
    for (const [path, output] of [...outputs].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const lock = await takeLock(path, output);
      locks.push(lock);
      if (lock.tookOver) tookOver.add(path);
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

/** @param of the lock that this one is, or guards */
const createLock = (path: string, of: string): Promise<boolean> =>
  createWhole(path, JSON.stringify(thisProcess()), `${of}.${randomBytes(MARK_DIGITS / 2).toString('hex')}`);

/** Removes what processes left that were killed while they took the lock. */
async function sweep(path: string): Promise<boolean> {
  let isSwept = false;
  const names = await readdir(dirname(path)).catch(() => []); // the run's next write reports it
  const prefix = `${basename(path)}.`;
  for (const name of names) {
    if (!name.startsWith(prefix) || !MARK.test(name.slice(prefix.length))) continue;
    const left = join(dirname(path), name);
    const found = await readLock(left);
    if (found === undefined || found.isHeld) continue;
    await removeIfCan(left);
    isSwept = true;
  }
  return isSwept;
}

const MARK = new RegExp(`^[0-9a-f]{${MARK_DIGITS}}$`);

/** @returns whether its holder was dead; throws `locked` when it is alive */
async function removeIfDead(path: string, output: string): Promise<boolean> {
  const found = await readLock(path);
  if (found === undefined) return false;
  const { text, pid, isHeld } = found;
  if (!isHeld) {
    await removeDead(path, text, path);
    return true;
  }
  throw new RowcastError(
    'locked',
    `another run is writing this file${pid === undefined ? '' : `, process ${pid}`}`,
    {
      place: { file: output },
      hint: `Wait for it, or stop it; if there is none, remove ${path}.`,
    },
  );
}

/**
 * Removes a lock that a dead process left, if it is still there. A guard file, named after the stale lock's hash,
 * serializes removal; otherwise we could delete a lock that a new holder created after we checked. A guard whose
 * holder has died goes in the same way.
 *
 * @param root the lock that all this is about
 */
async function removeDead(path: string, text: string, root: string): Promise<void> {
  const mark = createHash('sha256').update(`${path}\n${text}`).digest('hex').slice(0, MARK_DIGITS);
  const guard = `${root}.${mark}`;
  if (await createLock(guard, root)) {
    const found = await readLock(path);
    // One that is reserved has no text yet, as one that a power loss left.
    if (found?.text === text && !found.isHeld) await unlink(path);
    await unlink(guard);
    return;
  }
  const other = await readLock(guard);
  if (other?.isHeld) await delay(GUARDED_MS);
  else if (other !== undefined) await removeDead(guard, other.text, root);
}
