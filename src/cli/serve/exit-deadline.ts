import { Worker } from 'node:worker_threads';

/**
 * Ends the process after a time, whatever hangs: a busy or blocked event loop, a thread that does not end, a file
 * operation that never returns. (`process.exit` would end this timer, and then wait for the last two.) It dies of the signal, as if it had never
 * handled it, so a supervisor sees that the shutdown was not a complete one.
 *
 * @param milliseconds from now on
 * @param signal must have its default action again
 */
export function enforceDeadline(milliseconds: number, signal: NodeJS.Signals): void {
  // A thread of its own, because the loop of this one may be what hangs.
  const worker = new Worker(
    `const { workerData } = require('node:worker_threads');
     setTimeout(() => process.kill(process.pid, workerData.signal), workerData.milliseconds);`,
    { eval: true, workerData: { milliseconds, signal }, stdout: true, stderr: true, execArgv: [] },
  );
  worker.unref();
}
