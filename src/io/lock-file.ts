import { createHash, randomBytes } from 'node:crypto';
import { readdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beside } from './beside.ts';
import { createWhole } from './create-whole.ts';
import { readLock, thisProcess } from './lock-holder.ts';

/** Removing a stale lock takes about this long; then it is looked at again. */
const GUARDED_MS = 5;

/** Follows a lock's name, behind a dot: the hex digits of a guard, or those of a lock that is being created. */
const MARK_DIGITS = 16;
const NEW = 'new';

/** The lock file of an output. */
export const lockOf = (output: string): string => beside(output, '.lock', 1 + MARK_DIGITS);

/**
 * Creates the lock of this process, or a guard of one.
 *
 * @param root the lock that this one is, or guards
 * @param output what it is held for
 * @returns false where there is one already
 */
export const createLock = (path: string, root: string, output?: string): Promise<boolean> =>
  createWhole(
    path,
    JSON.stringify({ ...thisProcess(), output }),
    `${root}.${(NEW + randomBytes(MARK_DIGITS / 2).toString('hex')).slice(0, MARK_DIGITS)}`,
  );

/**
 * Removes what processes left that were killed while they took the lock.
 *
 * @returns whether there was anything of a process that may have held the lock
 */
export async function sweep(path: string): Promise<boolean> {
  let isSwept = false;
  const names = await readdir(dirname(path)).catch(() => []); // the run's next write reports it
  const prefix = `${basename(path)}.`;
  for (const name of names) {
    if (!name.startsWith(prefix) || !MARK.test(name.slice(prefix.length))) continue;
    const left = join(dirname(path), name);
    const found = await readLock(left);
    // Nobody can tell whether its creator was killed before it wrote; if not, it creates the file again.
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
 * holder has died goes in the same way.
 *
 * @param root the lock that all this is about
 */
export async function removeDead(path: string, text: string, root: string): Promise<void> {
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
