import { constants, setPriority } from 'node:os';

/**
 * Lowers the priority of the calling thread, so that the main thread runs as soon as it has something to do: with as
 * many busy threads as cores, it waits for several milliseconds otherwise. Only on Linux is a priority that of a thread
 * and not of the whole process (setpriority(2), NOTES).
 */
export function lowerPriority(): void {
  if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
}
