import type { Summary } from '../../summary/summary.ts';
import { lineageSettings } from './lineage-settings.ts';
import { type EventOptions, runEvents } from './run-events.ts';

/** The events of a run as lines of JSON, for the file of --lineage. */
export const lineageText = (summary: Summary, columnsOf: EventOptions['columnsOf']): string =>
  runEvents(summary, { ...lineageSettings(process.env), columnsOf })
    .map(event => `${JSON.stringify(event)}\n`)
    .join('');
