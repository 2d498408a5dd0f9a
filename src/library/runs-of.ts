import { RowcastError } from '../base/errors.ts';
import type { Run } from '../runs/run.ts';
import type { FilePair } from '../runs/several/pair-files.ts';
import type { JobValues } from './job-values.ts';
import type { RunJob } from './run-job.ts';
import { memoryOf } from './run-memory.ts';
import { namesOf } from './run-names.ts';

/** What a run uses and who watches it. */
export type RunResources = Pick<
  Run,
  'openScorer' | 'openInput' | 'observers' | 'control' | 'shared' | 'backends' | 'memory' | 'wait'
>;

/** The run of a job with a single input. */
export function runOfJob(job: RunJob, resources: RunResources): Run {
  const { values, backends, inputs, places, names } = job;
  const [input = '-'] = inputs;
  // Whoever opens the scorer checks that there is a report, so that the summary says so.
  const options = { ...values, report: values.report ?? '', input };
  return { names, options, paths: places, backends, memory: memoryOf(job, false), ...resources };
}

/** The run of one of several inputs of a job, each of which has an output of its own. @throws as `reportOf` */
export function runOfFile(
  { values, backends, places }: RunJob,
  file: FilePair,
  resources: RunResources,
): Run {
  const options = { ...values, ...file, report: reportOf(values) };
  return {
    names: namesOf(options, [file.input]),
    options,
    paths: { ...file, private: values.private, reads: places.reads },
    backends,
    ...resources,
  };
}

/** @throws RowcastError `usage` */
export function reportOf({ report }: Pick<JobValues, 'report'>): string {
  if (report !== undefined) return report;
  throw new RowcastError('usage', 'no report given; use --report ID', {
    hint: 'rowcast reports lists the local reports.',
  });
}
