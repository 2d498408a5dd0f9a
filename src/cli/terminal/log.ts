import { type Logger, pino } from 'pino';
import { sanitizeLines } from '../../sanitize.ts';
import { failureFields, failureMessage } from '../exit-codes.ts';

/** The format of log lines: a sentence for people, or JSON for programs. */
export type LogFormat = 'text' | 'json';

/** Logs the error that ended a command, as the last line. It may quote files and services, so it is sanitized. */
export function logFailure(log: Logger, error: unknown): void {
  log.error(failureFields(error), sanitizeLines(failureMessage(error)));
}

/** Limit for log lines that wait for the reader of stderr; further lines are dropped and counted. */
const MAX_WAITING_BYTES = 1 << 20;

/**
 * Opens the log. It goes to stderr, never to stdout. No log line contains a key, or values of a persona unless a
 * service quotes them in its own message, which is shortened.
 */
export function openLog(format: LogFormat, level = 'info'): Logger {
  let dropped = 0;
  const write = (line: string): void => {
    // The reader of the pipe has stopped reading, so what is written waits in memory.
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
