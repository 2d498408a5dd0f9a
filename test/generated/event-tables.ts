import { commandEvents } from '../../src/log-events/command-events.ts';
import type { LogEvents } from '../../src/log-events/log-events.ts';
import { serviceEvents } from '../../src/log-events/service-events.ts';
import { markdownTable } from './markdown.ts';

/** For docs/monitoring.md: every event of a log line. */
export const eventTables = (): ReadonlyMap<string, string> =>
  new Map([
    ['command events', tableOf(commandEvents)],
    ['service events', tableOf(serviceEvents)],
  ]);

const tableOf = (events: LogEvents): string =>
  markdownTable(
    ['event', 'when'],
    Object.entries(events).map(([event, when]) => [`\`${event}\``, when]),
  );
