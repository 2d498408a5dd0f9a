import type { Summary } from '../../summary/summary.ts';
import { lineageSettings } from './lineage-settings.ts';
import { type EventOptions, runEvents } from './run-events.ts';

/** The events of a run as lines of JSON, for the file of --lineage. */
export function* lineageText(summary: Summary, columnsOf: EventOptions['columnsOf']): Generator<string> {
  for (const event of runEvents(summary, { ...lineageSettings(process.env), columnsOf }))
    yield `${JSON.stringify(event)}\n`;
}
