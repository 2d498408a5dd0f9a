import { type Logger, pino } from 'pino';
import { sanitizeLines } from '../../sanitize.ts';
import { failureFields, failureMessage } from '../exit-codes.ts';

/** How log lines are written: one sentence a line for people, or JSON for machines. */
export type LogFormat = 'text' | 'json';

/** Logs what ended a command as its last line. Its text may quote files and services, so it is sanitized. */
export function logFailure(log: Logger, error: unknown): void {
  log.error(failureFields(error), sanitizeLines(failureMessage(error)));
}

/** Of log lines that wait for the reader of stderr; later ones are dropped and counted. */
const MAX_WAITING_BYTES = 1 << 20;

/**
 * The log: to stderr, never to stdout. Nothing that is logged holds a key or a persona's values, unless
 * a service quotes these in its own words, which are shown cut.
 */
export function openLog(format: LogFormat, level = 'info'): Logger {
  let dropped = 0;
  const write = (line: string): void => {
    // A pipe whose reader has stopped: what is written waits in memory.
    if (process.stderr.writableLength > MAX_WAITING_BYTES) {
      dropped++;
      return;
    }
    process.stderr.write(format === 'json' ? line : sentenceOf(line));
    if (dropped === 0) return;
    const lost = dropped;
    dropped = 0;
    log.warn(`stderr was not read: ${lost} log ${lost === 1 ? 'line was' : 'lines were'} dropped`);
  };
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write });
  return log;
}

function sentenceOf(line: string): string {
  const { msg } = JSON.parse(line); // pino's own line
  return sanitizeLines(`rowcast: ${msg}\n`);
}
