import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { formatDuration } from '../../base/options/values/duration.ts';
import type { RunningService } from '../../server/service.ts';
import type { EndingSignal } from '../signals.ts';

/**
 * The share of the drain timeout after which connections are cut off. The rest is for closing files and threads, so
 * that only a process that hangs reaches the hard deadline.
 */
const CUT_AFTER = 0.9;

/**
 * Graceful shutdown: waits for load balancers to notice, finishes in-flight requests, and exits by the deadline. Times
 * are in seconds.
 */
export async function shutDown(
  service: RunningService,
  signal: EndingSignal,
  { drainDelay, drainTimeout, log }: { drainDelay: number; drainTimeout: number; log: Logger },
): Promise<void> {
  enforceDeadline((drainDelay + drainTimeout) * 1000, signal);
  service.drain();
  const delay = drainDelay === 0 ? '' : `still serving for ${formatDuration(drainDelay)}, then `;
  log.info(
    { event: 'draining', signal },
    `${signal}: ${delay}finishing in-flight requests (up to ${formatDuration(drainTimeout)})`,
  );
  await sleep(drainDelay * 1000);
  const cut = await service.close(drainTimeout * 1000 * CUT_AFTER);
  if (cut > 0)
    log.warn(
      { event: 'connections_cut', count: cut },
      `cut off ${cut} ${cut === 1 ? 'connection' : 'connections'} with unfinished requests`,
    );
}

/**
 * Kills the process after a time, even if the event loop is blocked, a thread does not end or a file operation never
 * returns. (`process.exit` would stop this timer and then wait for the latter two.) The process dies from the signal,
 * so that a supervisor sees that the shutdown was not graceful.
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
