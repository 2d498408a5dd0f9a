import { timeLimit } from '../../../base/interrupted.ts';
import { postJson } from '../post-json.ts';
import type { LineageSettings } from './lineage-settings.ts';
import type { RunEvent } from './run-events.ts';

/** How long to wait for the last requests. */
const LAST_MS = 5_000;
/** Further events are left out: the endpoint is too slow. */
const MAX_WAITING = 1_000;

/**
 * Sends events over HTTP, one after the other, next to the run. A failure is one warning.
 *
 * @param warn called with the reason of each failure
 */
export function lineageSender(
  endpoint: NonNullable<LineageSettings['endpoint']>,
  warn: (reason: string) => void,
) {
  const over = new AbortController();
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;
  return {
    send(event: RunEvent): void {
      if (waiting >= MAX_WAITING) {
        warn('the endpoint is too slow, so some events are left out');
        return;
      }
      waiting++;
      last = last.then(async () => {
        const failure = await postJson(event, endpoint, over.signal);
        waiting--;
        if (failure !== undefined) warn(failure.reason);
      });
    },

    /**
     * Waits for what is being sent, but not long.
     *
     * @param stop ends the waiting if it is aborted meanwhile
     */
    async close(stop: AbortSignal): Promise<void> {
      const limit = timeLimit(LAST_MS, stop.aborted ? new AbortController().signal : stop);
      const noTime = new Error('there was no time left to send all');
      limit.over.addEventListener('abort', () => over.abort(noTime));
      await last;
      limit.end();
    },
  };
}
