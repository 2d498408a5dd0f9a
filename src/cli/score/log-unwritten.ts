import type { Logger } from 'pino';
import type { RunObserver } from '../../runs/observer.ts';

/** Logs that the summary of a run that failed could not be written. */
export const logUnwritten = (log: Logger): RunObserver => ({
  unwritten: reason => log.warn({ event: 'summary_not_written' }, `cannot write the summary: ${reason}`),
});
