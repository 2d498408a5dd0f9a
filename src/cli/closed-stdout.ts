import { fstatSync, readSync, statSync } from 'node:fs';
import { RowcastError } from '../errors.ts';
import type { Target } from '../storage/target.ts';

/**
 * Refuses to write rows to a stdout that may be closed, before any work is done for them.
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
 * Node opens /dev/null, for reading and writing, in the place of a closed stdout (`>&-`), before any of our code runs.
 * That is also what Python's subprocess.DEVNULL and Node's own `stdio: 'ignore'` pass, and nothing tells them apart.
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
