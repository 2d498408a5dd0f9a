import { commandEvents, type LogEvents, serviceEvents } from '../../src/base/reference/events.ts';
import { listItem } from './markdown.ts';

/** For docs/log-events.md: every event of a log line, by the names of the markers. */
export const eventLists = (): ReadonlyMap<string, string> =>
  new Map([
    ['command events', listOf(commandEvents)],
    ['service events', listOf(serviceEvents)],
  ]);

/** Events whose names say everything come last, in one line. */
function listOf(events: LogEvents): string {
  const isPlain = ([, when]: [string, string]): boolean => when === '';
  const explained = Object.entries(events).filter(event => !isPlain(event));
  const plain = Object.entries(events).filter(isPlain);
  return [
    ...explained.map(([event, when]) => listItem(`\`${event}\`${when.startsWith('(') ? '' : ':'} ${when}`)),
    listItem(`${plain.map(([event]) => `\`${event}\``).join(', ')}.`),
  ].join('\n');
}
