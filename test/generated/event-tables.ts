import { commandEvents } from '../../src/base/reference/command-events.ts';
import type { LogEvents } from '../../src/base/reference/log-events.ts';
import { serviceEvents } from '../../src/base/reference/service-events.ts';

/** For docs/monitoring.md: every event of a log line of a command. */
export const commandEventList = (): string => listOf(commandEvents);

/** For docs/running-the-service.md: those of `serve`. */
export const serviceEventList = (): string => listOf(serviceEvents);

/** Events whose names say everything come last, in one line. */
function listOf(events: LogEvents): string {
  const isPlain = ([, when]: [string, string]): boolean => when === '';
  const explained = Object.entries(events).filter(event => !isPlain(event));
  const plain = Object.entries(events).filter(isPlain);
  return [
    ...explained.map(([event, when]) => `- \`${event}\`${when.startsWith('(') ? '' : ':'} ${when}`),
    `- ${plain.map(([event]) => `\`${event}\``).join(', ')}.`,
  ].join('\n');
}
