import { constants, getPriority, setPriority } from 'node:os';

const { PRIORITY_BELOW_NORMAL } = constants.priority;

/**
 * Lowers the priority of the calling thread, so that the main thread runs as soon as it has something to do: with as
 * many busy threads as cores, it waits for several milliseconds otherwise. Only on Linux is a priority that of a thread
 * and not of the whole process (setpriority(2), NOTES). A process that was started with a lower priority keeps it.
 */
export function lowerPriority(set = setPriority): void {
  if (process.platform !== 'linux') return;
  try {
    if (getPriority() < PRIORITY_BELOW_NORMAL) set(PRIORITY_BELOW_NORMAL);
  } catch {
    // A system may forbid it; the service works all the same.
  }
}
