import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { formatDuration } from '../../base/options/values/duration.ts';
import type { Service } from '../../server/service.ts';
import type { EndingSignal } from '../signals.ts';
import { enforceDeadline } from './exit-deadline.ts';

/**
 * The share of the drain timeout after which connections are cut off. The rest is for closing files and threads, so
 * that only a process that hangs reaches the hard deadline.
 */
const CUT_AFTER = 0.9;

export interface Draining {
  /** In seconds. */
  drainDelay: number;
  drainTimeout: number;
  log: Logger;
}

/** Graceful shutdown: waits for load balancers to notice, finishes in-flight requests, and exits by the deadline. */
export async function shutDown(
  service: Service,
  signal: EndingSignal,
  { drainDelay, drainTimeout, log }: Draining,
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
