import { Worker } from 'node:worker_threads';

/**
 * Kills the process after a time, even if the event loop is blocked, a thread does not end or a file operation never
 * returns. (`process.exit` would stop this timer and then wait for the latter two.) The process dies from the signal, so
 * that a supervisor sees that the shutdown was not graceful.
 *
 * @param milliseconds from now on
 * @param signal must have no handler any more
 */
export function enforceDeadline(milliseconds: number, signal: NodeJS.Signals): void {
  // In a separate thread, because this one's event loop may be blocked.
  const worker = new Worker(
    `const { workerData } = require('node:worker_threads');
     setTimeout(() => process.kill(process.pid, workerData.signal), workerData.milliseconds);`,
    { eval: true, workerData: { milliseconds, signal }, stdout: true, stderr: true, execArgv: [] },
  );
  worker.unref();
}
