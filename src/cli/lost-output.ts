import { fstatSync, readSync, statSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Target } from '../io/target.ts';

/** Warns where a command writes to a stdout that may be closed. */
export function warnOfLostOutput(targets: readonly (Target | undefined)[], log: Logger): void {
  if (targets.some(target => target?.kind === 'stdout') && mayBeClosed())
    log.warn('stdout is closed or /dev/null: what is written to it is lost');
}

/**
 * Node opens /dev/null, for reading and writing, in the place of a closed stdout (`>&-`), before any of our code runs.
 * That is also what Python's subprocess.DEVNULL and Node's own `stdio: 'ignore'` pass, and nothing tells them apart; so
 * this is no error. `> /dev/null` opens it for writing only.
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
