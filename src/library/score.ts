import { Writable } from 'node:stream';
import { RowcastError } from '../errors.ts';
import { lockRunPaths } from '../runs/paths/lock-paths.ts';
import type { Summary } from '../runs/summary.ts';
import type { Source } from '../storage/source.ts';
import type { Target } from '../storage/target.ts';
import { asRowcastError, rejectsWithRowcastError } from './as-rowcast-error.ts';
import { watchOf } from './callbacks.ts';
import { readGiven } from './options/given-values.ts';
import { pathOf } from './options/path-of.ts';
import {
  otherOptions,
  type ScoreOptions,
  type ScoreStreamOptions,
  scoreOptions,
} from './options/score-options.ts';
import { recordRun } from './run/record-run.ts';
import { comparedFiles, type RunJob } from './run/run-job.ts';
import { namesOf } from './run/run-names.ts';
import { scoreRecorded } from './run/score-recorded.ts';
import type { ScoreValues } from './run/score-values.ts';
import { withRunScorer } from './scorers/with-run-scorer.ts';
import { type Given, serviceFiles } from './service/choose-service.ts';
import { givenService } from './service/given-service.ts';
import { STREAM, streamInputSource } from './streams/byte-input.ts';
import { writableOutput } from './streams/writable-output.ts';

/**
 * Scores a CSV: every row back, in order, with its predicted probabilities, as `rowcast score` does.
 *
 * @returns what the run came to; with `ifExists: 'skip'` its `status` may be `skipped`
 * @throws RowcastError, always. After `exitCode` 75 (`retryable`) the same call may succeed later; one that writes to a
 *   file resumes where this one stopped. `interrupted`: the signal was aborted, and its reason is the cause. An output
 *   file appears only when it is complete; an output stream is destroyed with the error
 */
export async function score(options: ScoreOptions): Promise<Summary> {
  const { output } = options;
  if (!isWritable(output)) return scoreTo(options, pathOf('output', output));
  const { target, fail } = writableOutput(output, options.signal);
  try {
    return await scoreTo(options, target);
  } catch (error) {
    const failure = asRowcastError(error);
    fail(failure);
    throw failure;
  }
}

/**
 * The same, to a given output.
 *
 * @param cancel aborted when nobody waits for rows any more
 */
export function scoreTo(
  options: ScoreStreamOptions,
  output: string | Target,
  cancel?: AbortSignal,
): Promise<Summary> {
  return rejectsWithRowcastError(() => run(options, output, cancel));
}

async function run(
  options: ScoreStreamOptions,
  output: string | Target,
  cancel: AbortSignal | undefined,
): Promise<Summary> {
  const { report, scorer, signal: stop = new AbortController().signal } = options;
  const { home = '.rowcast', ...given } = readGiven(scoreOptions, options, otherOptions);
  if (typeof report !== 'string' || report === '')
    throw new RowcastError('bad_option', 'report: expected an id');
  if (scorer !== undefined && given.url !== undefined)
    throw new RowcastError('bad_option', 'url and scorer exclude each other');
  const isPath = typeof output === 'string';
  const values: ScoreValues = { ...given, report, output: isPath ? output : '-', jobs: 1, failFast: false };
  const { input, source } = inputOf(options, values);
  const service = givenService(values, home);
  const job = jobOf(values, { input: source && STREAM, file: input, output, service });
  try {
    return await recordRun(job, {
      lock: () => lockRunPaths(job.places),
      stop,
      use: (held, record) =>
        withRunScorer({ scorer, values, given: service, callbacks: options, stop }, used => {
          const scoring = { values, input: input ?? STREAM, held, record, stop };
          const watch = { ...watchOf(options, used.statistics), ...(cancel && { cancel }) };
          return scoreRecorded(scoring, { scorer: used, source }, watch);
        }),
    });
  } finally {
    // It is not read if the run was refused.
    source?.close();
  }
}

interface Places {
  /** The name of a stream that is the input. */
  input: string | undefined;
  /** The input if it is a file. */
  file: string | undefined;
  output: string | Target;
  service: Given;
}

function jobOf(values: ScoreValues, { input, file, output, service }: Places): RunJob {
  const { rejects, summary, private: isPrivate } = values;
  const isPath = typeof output === 'string';
  const names = namesOf(values, input ?? file ?? STREAM);
  return {
    values,
    inputs: file === undefined ? [] : [file],
    names: isPath ? names : { ...names, output: output.name },
    places: {
      ...{ input: file, output, rejects, summary, private: isPrivate },
      reads: [...serviceFiles(service), ...comparedFiles(values)],
    },
  };
}

/** The input as a path, or as a source. */
function inputOf(
  { input }: ScoreStreamOptions,
  { checksum, encoding }: ScoreValues,
): { input?: string; source?: Source } {
  if (typeof input === 'string' || input instanceof URL) return { input: pathOf('input', input) };
  if (typeof input?.[Symbol.asyncIterator] === 'function')
    return { source: streamInputSource(input, { checksum, encoding }) };
  throw new RowcastError('bad_option', 'input: expected a path, a URL or a stream of bytes');
}

/** A response of an HTTP server is a `Writable` by its type, but not an instance. */
const isWritable = (output: unknown): output is Writable =>
  output instanceof Writable ||
  (typeof output === 'object' && output !== null && 'write' in output && 'destroy' in output);
