import { createHash, randomBytes } from 'node:crypto';
import { readdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createWhole } from '../create-exclusive.ts';
import { siblingPath } from '../sibling-path.ts';
import { readLock, thisProcess } from './lock-holder.ts';

/** Removing a stale lock takes about this long; then the lock is checked again. */
const GUARDED_MS = 5;

/** Guards have this many hex digits appended to the lock's name; locks that are being created, `new` and fewer. */
const MARK_DIGITS = 16;
const NEW = 'new';

/** The lock file of an output. */
export const lockOf = (output: string): string => siblingPath(output, '.lock', 1 + MARK_DIGITS);

/**
 * Creates a lock or a guard that this process holds.
 *
 * @param root the lock itself, or the lock that is guarded
 * @param output the output it protects
 * @returns false if it already exists
 */
export const createLock = (path: string, root: string, output?: string): Promise<boolean> =>
  createWhole(
    path,
    JSON.stringify({ ...thisProcess(), output }),
    `${root}.${(NEW + randomBytes(MARK_DIGITS / 2).toString('hex')).slice(0, MARK_DIGITS)}`,
  );

/**
 * Removes the files of processes that were killed while they were taking the lock.
 *
 * @returns whether any of them may have held the lock
 */
export async function sweep(path: string): Promise<boolean> {
  let isSwept = false;
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
    isSwept ||= !isUnwritten;
  }
  return isSwept;
}

const MARK = new RegExp(`^(?:${NEW}[0-9a-f]{${MARK_DIGITS - NEW.length}}|[0-9a-f]{${MARK_DIGITS}})$`);

/**
 * Removes a lock that a dead process left, if it is still there. A guard file, named after the stale lock's hash,
 * serializes removal; otherwise we could delete a lock that a new holder created after we checked. A guard whose
 * holder has died is removed in the same way.
 *
 * @param root the lock that is being taken
 */
export async function removeDead(path: string, text: string, root: string): Promise<void> {
  const mark = createHash('sha256').update(`${path}\n${text}`).digest('hex').slice(0, MARK_DIGITS);
  const guard = `${root}.${mark}`;
  if (await createLock(guard, root)) {
    const found = await readLock(path);
    // A lock that is being created may be empty, and so may one left by a power loss.
    if (found?.text === text && !found.isHeld) await unlink(path);
    await unlink(guard);
    return;
  }
  const other = await readLock(guard);
  if (other?.isHeld) await delay(GUARDED_MS);
  else if (other !== undefined) await removeDead(guard, other.text, root);
}
