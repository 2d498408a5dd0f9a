import { createHash, randomBytes } from 'node:crypto';
import { readdir, rename, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createWhole } from '../atomic-write.ts';
import { isMissing } from '../missing.ts';
import { siblingPath } from '../sibling-path.ts';
import { type FoundLock, readLock, thisProcess } from './lock-holder.ts';

/** Removing a stale lock takes about this long; then the lock is checked again. */
const GUARDED_MS = 5;

/** Guards have this many hex digits appended to the lock's name; locks that are being created, `new` and fewer. */
const MARK_DIGITS = 16;
const NEW = 'new';

export const LOCK_SUFFIX = '.lock';

/** The lock file of an output. */
export const lockOf = (output: string): string => siblingPath(output, LOCK_SUFFIX, 1 + MARK_DIGITS);

/**
 * Creates a lock or a guard that this process holds.
 *
 * @param root the lock itself, or the lock that is guarded
 * @param output the output it protects
 * @returns false if it already exists
 */
export const createLock = (path: string, root: string, output?: string): Promise<boolean> =>
  createWhole(path, textOf(output), newName(root));

/** What this process writes into its locks. */
const textOf = (output: string | undefined): string => JSON.stringify({ ...thisProcess(), output });

/** The name of a lock of this process until it is complete. */
const newName = (root: string): string =>
  `${root}.${(NEW + randomBytes(MARK_DIGITS / 2).toString('hex')).slice(0, MARK_DIGITS)}`;

/**
 * Removes the files of processes that were killed while they were taking the lock.
 *
 * @returns one of them that may have held the lock
 */
export async function sweep(path: string): Promise<FoundLock | undefined> {
  let swept: FoundLock | undefined;
  const names = await readdir(dirname(path)).catch(() => []); // the run's next write reports it
  const prefix = `${basename(path)}.`;
  for (const name of names) {
    if (!name.startsWith(prefix) || !MARK.test(name.slice(prefix.length))) continue;
    const left = join(dirname(path), name);
    const found = await readLock(left);
    // We cannot tell whether its creator was killed before writing; a live one creates the file again.
    const isUnwritten = found?.text === '' && name.startsWith(prefix + NEW);
    if (found === undefined || (found.isHeld && !isUnwritten)) continue;
    await unlink(left).catch(() => {});
    if (!isUnwritten) swept = found;
  }
  return swept;
}

const MARK = new RegExp(`^(?:${NEW}[0-9a-f]{${MARK_DIGITS - NEW.length}}|[0-9a-f]{${MARK_DIGITS}})$`);

/**
 * Replaces the lock of a dead process by one of this process, in one step: otherwise another process could create the
 * lock in between, and would not know that the files which the dead one left may be removed.
 *
 * @param text the content of the dead process's lock
 * @returns whether this process holds the lock now
 */
export const takeOver = (path: string, text: string, output?: string): Promise<boolean> =>
  ifDead(path, text, path, () => replaceLock(path, textOf(output)));

/** Puts another text into a lock that this process holds. */
export async function replaceLock(path: string, text: string): Promise<void> {
  const written = newName(path);
  await writeFile(written, text, { flag: 'wx', mode: 0o600 });
  try {
    await rename(written, path);
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    await replaceLock(path, text); // another process took the file for one that was left
  }
}

/**
 * Does something about a lock that a dead process left, if it is still there. A guard file, named after the stale
 * lock's hash, serializes that; otherwise we could replace a lock that a new holder created after we checked. A guard
 * whose holder has died is removed in the same way.
 *
 * @param root the lock that is being taken
 */
async function ifDead(path: string, text: string, root: string, act: () => Promise<void>): Promise<boolean> {
  const mark = createHash('sha256').update(`${path}\n${text}`).digest('hex').slice(0, MARK_DIGITS);
  const guard = `${root}.${mark}`;
  if (await createLock(guard, root)) {
    const found = await readLock(path);
    // A lock that is being created may be empty, and so may one left by a power loss.
    const isDead = found?.text === text && !found.isHeld;
    if (isDead) await act();
    await unlink(guard);
    return isDead;
  }
  const other = await readLock(guard);
  if (other?.isHeld) await delay(GUARDED_MS);
  else if (other !== undefined) await ifDead(guard, other.text, root, () => unlink(guard));
  return false;
}
