import { commandEvents } from '../../src/base/reference/command-events.ts';
import type { LogEvents } from '../../src/base/reference/log-events.ts';
import { serviceEvents } from '../../src/base/reference/service-events.ts';
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
