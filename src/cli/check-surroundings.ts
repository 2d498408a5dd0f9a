import { fstatSync, readSync, statSync } from 'node:fs';
import { RowcastError } from '../base/errors.ts';
import { sanitize } from '../base/sanitize.ts';
import { pathWord } from '../base/shell-pipe.ts';
import { isWritableByAll } from '../storage/local/home-folder.ts';
import type { Target } from '../storage/target.ts';
import type { Context } from './context.ts';

/**
 * Refuses to write rows to a closed stdout, before any work is done.
 *
 * @throws RowcastError `stdout_closed`
 */
export function checkStdout(targets: readonly (Target | undefined)[]): void {
  if (targets.some(target => target?.isStdout) && mayBeClosed())
    throw new RowcastError('stdout_closed', 'stdout is closed or discarded, so the rows would be lost', {
      hint: 'Write to a file with -o FILE, or redirect stdout. To discard the rows on purpose: > /dev/null, or -o /dev/null.',
    });
}

/**
 * If stdout is closed (`>&-`), Node opens /dev/null for reading and writing in its place before any of our code runs.
 * Python's subprocess.DEVNULL and Node's `stdio: 'ignore'` pass the same, so they cannot be distinguished.
 * `> /dev/null` opens it for writing only.
 */
function mayBeClosed(): boolean {
  try {
    if (fstatSync(1).rdev !== statSync('/dev/null').rdev) return false;
    readSync(1, Buffer.alloc(1)); // refused with EBADF where it is open for writing only
    return true;
  } catch {
    return false;
  }
}

/**
 * Warns of a home in which everybody on the machine can replace reports and keys. It is used all the same, because
 * volumes of containers often have mode 0777.
 */
export async function warnOfHome({ log }: Pick<Context, 'log'>, home: string): Promise<void> {
  if (!(await isWritableByAll(home))) return;
  const name = sanitize(home);
  log.warn(
    { event: 'home_writable_by_all', folder: home },
    `everybody on this machine can replace the reports and keys in ${name}; if that is not wanted: chmod o-w ${pathWord(home)}`,
  );
}
