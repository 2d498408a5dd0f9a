import { pino } from 'pino';

/** A log, and its lines so far. */
export function recorded() {
  const text: string[] = [];
  const log = pino({ level: 'info', base: null, timestamp: false }, { write: line => text.push(line) });
  return { log, text: () => text.join(''), lines: () => text.map(line => JSON.parse(line)) };
}
