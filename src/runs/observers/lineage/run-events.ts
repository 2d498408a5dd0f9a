import { resolve } from 'node:path';
import { causeOfCode } from '../../../base/reference/cause-of-code.ts';
import type { RunColumn, RunColumns } from '../../run-columns.ts';
import type { Summary } from '../../summary/summary.ts';
import { type LineageSettings, lineageSettings } from './lineage-settings.ts';

type EventType = 'START' | 'COMPLETE' | 'FAIL' | 'ABORT';
export type RunEvent = Readonly<Record<string, unknown>>;

export interface EventOptions extends Pick<LineageSettings, 'namespace' | 'parent'> {
  /** The columns of the run with this id; undefined if it ended before they were known. */
  columnsOf: (runId: string) => RunColumns | undefined;
}

const PRODUCER = 'https://www.npmjs.com/package/rowcast';
const SPEC = 'https://openlineage.io/spec';
const EVENT_SCHEMA = `${SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent`;

/** The event of the start of a run. */
export const startEvent = (run: Summary, options: EventOptions): RunEvent =>
  eventOf('START', run.started_at, run, options);

/** The event of its end; undefined while it is in progress, and for one that was skipped. */
export function endEvent(run: Summary, options: EventOptions): RunEvent | undefined {
  const type = endOf(run);
  return type && eventOf(type, run.finished_at ?? run.started_at, run, options);
}

/** All events of a run, or of the runs of several files. A resumed run has started only once. */
function* runEvents(summary: Summary, options: EventOptions): Generator<RunEvent> {
  for (const run of summary.runs ?? [summary]) {
    if (run.status === 'skipped') continue;
    yield startEvent(run, options);
    const end = endEvent(run, options);
    if (end !== undefined) yield end;
  }
}

function endOf({ status, error }: Summary): EventType | undefined {
  if (status === 'finished') return 'COMPLETE';
  if (status !== 'stopped' && status !== 'refused') return undefined;
  return error?.code === 'interrupted' ? 'ABORT' : 'FAIL';
}

function eventOf(eventType: EventType, eventTime: string, run: Summary, options: EventOptions): RunEvent {
  const { namespace, parent } = options;
  const isEnd = eventType !== 'START';
  return {
    eventType,
    eventTime,
    producer: PRODUCER,
    schemaURL: EVENT_SCHEMA,
    run: {
      runId: run.run_id,
      facets: {
        processing_engine: facet('1-1-1/ProcessingEngineRunFacet', {
          version: run.version ?? 'unknown',
          name: 'rowcast',
        }),
        ...(parent && {
          parent: facet('1-2-0/ParentRunFacet', {
            run: { runId: parent.runId },
            job: { namespace: parent.namespace, name: parent.name },
          }),
        }),
        ...(isEnd &&
          run.error !== null && {
            errorMessage: facet('1-0-1/ErrorMessageRunFacet', {
              message: messageOf(run.error.code),
              programmingLanguage: 'JAVASCRIPT',
            }),
          }),
      },
    },
    job: {
      namespace,
      name: `rowcast.score.${run.report ?? 'unknown'}`,
      facets: {
        jobType: facet('2-0-4/JobTypeJobFacet', {
          processingType: 'BATCH',
          integration: 'ROWCAST',
          jobType: 'JOB',
        }),
      },
    },
    ...datasetsOf(run, isEnd, options.columnsOf(run.run_id)),
  };
}

/** Pipes are no datasets. */
function datasetsOf(run: Summary, isEnd: boolean, columns: RunColumns | undefined) {
  const { rows, bytes_in, bytes_out, rejects } = run;
  const statistics = (rowCount: number, size: number) => ({ rowCount, size, fileCount: 1 });
  const read = {
    inputStatistics: facet('1-0-0/InputStatisticsInputDatasetFacet', statistics(rows.read, bytes_in)),
  };
  const written = (count: { rowCount: number }) => ({
    outputStatistics: facet('1-0-2/OutputStatisticsOutputDatasetFacet', count),
  });
  const outputs = [
    ...(run.output === 'stdout'
      ? []
      : [
          {
            ...dataset(run.output, columns?.output(run.prediction)),
            ...(isEnd && { outputFacets: written(statistics(rows.scored, bytes_out)) }),
          },
        ]),
    ...(isEnd && rejects !== null && rows.rejected > 0
      ? [{ ...dataset(rejects, undefined), outputFacets: written({ rowCount: rows.rejected }) }]
      : []),
  ];
  return {
    inputs:
      run.input === 'stdin'
        ? []
        : [{ ...dataset(run.input, columns?.input), ...(isEnd && { inputFacets: read }) }],
    outputs,
  };
}

const dataset = (path: string, fields: readonly RunColumn[] | undefined) => ({
  namespace: 'file',
  name: resolve(path),
  facets: fields === undefined ? {} : { schema: facet('1-2-0/SchemaDatasetFacet', { fields }) },
});

const facet = (schema: string, members: Readonly<Record<string, unknown>>) => {
  const [, name = ''] = schema.split('/');
  return {
    _producer: PRODUCER,
    _schemaURL: `${SPEC}/facets/${schema}.json#/$defs/${name}`,
    ...members,
  };
};

/**
 * In fixed words: the message of an error may quote the input, or what a service responded, and that a value of a
 * persona or a key. So may a code that a service has chosen.
 */
function messageOf(code: string): string {
  const cause = causeOfCode(code);
  return cause === undefined ? 'The service responded with an error code of its own.' : `${cause} [${code}]`;
}

/** The events of a run as lines of JSON, for the file of --lineage. */
export function* lineageText(summary: Summary, columnsOf: EventOptions['columnsOf']): Generator<string> {
  for (const event of runEvents(summary, { ...lineageSettings(process.env), columnsOf }))
    yield `${JSON.stringify(event)}\n`;
}
