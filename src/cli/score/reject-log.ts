import type { Logger } from 'pino';
import { sanitize } from '../../base/sanitize.ts';
import { reasonText } from '../../formats/records/reject.ts';
import type { RunObserver } from '../../runs/observer.ts';

/** How many rejects are logged one by one if there is no rejects file. */
const MAX_LISTED = 20;

/**
 * Logs rejects: line, code and reason, but not the row, although a service's reason may quote it.
 *
 * @param input its name
 * @param inFile whether they go to a file; then it logs only the first one of each hint
 */
export function rejectLog(log: Logger, input: string, inFile: boolean): RunObserver {
  let count = 0;
  const hints = new Set<string>();
  return {
    rejected({ row, line, code, ...why }) {
      if (inFile && (why.hint === undefined || hints.has(why.hint))) return;
      if (why.hint !== undefined) hints.add(why.hint);
      count++;
      if (count <= MAX_LISTED)
        log.warn(
          { event: 'reject', row, line, code },
          `${input}:${line}: row rejected: ${sanitize(reasonText(why))}`,
        );
      if (count === MAX_LISTED + 1)
        log.warn(
          { event: 'rejects_not_listed' },
          'further rejects are counted but not listed; use --rejects FILE to keep them',
        );
    },
  };
}
