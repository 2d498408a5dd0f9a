import type { Logger } from 'pino';

/** Logs that the summary of a run that failed could not be written. */
export const unwritten =
  (log: Logger) =>
  (reason: string): void =>
    log.warn({ event: 'summary_not_written' }, `cannot write the summary: ${reason}`);
