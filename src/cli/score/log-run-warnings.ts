import type { Logger } from 'pino';
import type { RunObserver } from '../../runs/observer.ts';

/** Logs what the run itself warns of, and that its summary could not be written. */
export const logRunWarnings = (log: Pick<Logger, 'warn'>): RunObserver => ({
  noted: ({ code, message }) => log.warn({ event: code }, message),
  unwritten: reason => log.warn({ event: 'summary_not_written' }, `cannot write the summary: ${reason}`),
});
