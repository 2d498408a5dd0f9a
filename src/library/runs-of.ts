import { RowcastError } from '../base/errors.ts';
import { LAST } from '../base/options/drift.ts';
import type { Options } from '../base/options/option.ts';
import { runOptions } from '../base/options/score.ts';
import { changedOptions } from '../base/options/values/resolve-options.ts';
import type { JobValues, RunValues } from '../base/options/values/run-values.ts';
import { absolutePath } from '../base/scheme.ts';
import { readVersion } from '../base/version.ts';
import type { Run, RunJob } from '../runs/run.ts';
import { RunControl } from '../runs/run-control.ts';
import type { FilePair } from '../runs/several/pair-files.ts';
import type { RunNames } from '../runs/summary/summary.ts';
import type { Scorer } from '../scoring/scorer.ts';
import type { Source } from '../storage/source.ts';
import type { Target, UsedFile } from '../storage/target.ts';
import { comparedFiles, memoryOf } from './run-memory.ts';

/** What a run uses, and who watches it. */
export type RunResources = Pick<
  Run,
  'openScorer' | 'openInput' | 'observers' | 'control' | 'shared' | 'wait'
>;

/** How a job is made of its values. */
interface JobParts
  extends Pick<RunJob, 'backends' | 'inputs'>,
    Partial<Pick<RunJob, 'isMany' | 'names' | 'outputAsWritten'>> {
  /** Where the rows go, if not where the values say. */
  output?: string | Target;
  /** What is read besides the inputs. */
  reads: readonly UsedFile[];
}

/** A job with these values. */
export function newJob(
  values: JobValues,
  { output = values.output, reads, inputs, backends, ...others }: JobParts,
): RunJob {
  const { rejects, summary, private: isPrivate } = values;
  const [input] = inputs;
  const read = [...reads, ...comparedFiles(values)];
  return {
    values,
    backends,
    inputs,
    isMany: false,
    paths: { input, output, rejects, summary, private: isPrivate, backends, reads: read },
    names: namesOf(values, inputs),
    ...others,
  };
}

/** The run of a job with a single input. */
export function runOfJob(job: RunJob, resources: RunResources): Run {
  const { values, inputs } = job;
  const [input = '-'] = inputs;
  // Whoever opens the scorer checks that there is a report, so that the summary says so.
  const own: RunValues = { ...values, report: values.report ?? '', input };
  return { ...job, values: own, memory: memoryOf(job), ...resources };
}

/** The run of one of several inputs of a job, each of which has an output of its own. @throws as `reportOf` */
export function runOfFile(job: RunJob, file: FilePair, resources: RunResources): Run {
  const { backends, paths } = job;
  const values: RunValues = { ...job.values, ...file, report: reportOf(job.values) };
  return {
    names: namesOf(values, [file.input]),
    values,
    paths: { ...file, private: values.private, reads: paths.reads },
    backends,
    ...resources,
  };
}

/** The run that predicts rows of a sample again, which nobody watches. */
export function runOfSample(
  values: RunValues,
  { scorer, source, target, stop }: { scorer: Scorer; source: Source; target: Target; stop: AbortSignal },
): Run {
  return {
    names: namesOf(values, []),
    values,
    paths: { input: undefined, output: target },
    openScorer: async () => ({ scorer, close: async () => {} }),
    openInput: async () => source,
    observers: [],
    control: new RunControl(stop),
  };
}

/** @throws RowcastError `usage` */
export function reportOf({ report }: Pick<JobValues, 'report'>): string {
  if (report !== undefined) return report;
  throw new RowcastError('usage', 'no report given; use --report ID', {
    hint: 'rowcast reports lists the local reports.',
  });
}

/** What a run is called in its summary: its paths are the same from every working directory. */
export function namesOf(
  { output, rejects, report, ...values }: JobValues,
  inputs: readonly string[],
): RunNames {
  const paths = inputs.map(input => (input === '-' ? 'stdin' : absolutePath(input)));
  const to = output === '-' ? 'stdout' : absolutePath(output);
  const { compare } = values;
  return {
    version: readVersion(),
    input: paths.join(', '),
    output: to,
    rejects: rejects === undefined ? (output === '-' ? null : `${to}.rejects`) : absolutePath(rejects),
    hasNamedRejects: rejects !== undefined,
    report: report ?? null,
    options: changedOptions(shownOptions, {
      ...values,
      compare: compare === undefined || compare === LAST ? compare : absolutePath(compare),
    }),
  };
}

/** Options that have a member of their own in the summary, or say where a secret is. */
const NOT_SHOWN: readonly string[] = [
  ...['output', 'rejects', 'report', 'url', 'protocol', 'summary', 'summary-html', 'metrics', 'lineage'],
  ...['notify-env', 'on-end', 'input-env', 'api-key-file', 'api-key-env', 'header-env'],
  ...['client-cert', 'client-key'],
];
const shownOptions: Options = Object.fromEntries(
  Object.entries(runOptions).filter(([name]) => !NOT_SHOWN.includes(name)),
);
