import { type Logger, pino } from 'pino';
import { printable } from '../shown.ts';
import { failureFields, failureMessage } from './exit.ts';

/** How log lines are written: one sentence a line for people, or JSON for machines. */
export type LogFormat = 'text' | 'json';

/** Logs what ended a command as its last line. Its text may quote files and services, so it is sanitized. */
export function logFailure(log: Logger, error: unknown): void {
  log.error(failureFields(error), printable(failureMessage(error)));
}

/**
 * The log: to stderr, never to stdout. Nothing that is logged holds a key or a persona's values, unless
 * a service quotes these in its own words, which are shown cut.
 */
export function openLog(format: LogFormat, level = 'info'): Logger {
  const write = (line: string): void => {
    process.stderr.write(format === 'json' ? line : sentenceOf(line));
  };
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write });
}

function sentenceOf(line: string): string {
  const { msg } = JSON.parse(line); // pino's own line
  return printable(`rowcast: ${msg}\n`);
}
