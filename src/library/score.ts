import { Writable } from 'node:stream';
import { RowcastError } from '../base/errors.ts';
import { lockRunPaths } from '../runs/paths/lock-paths.ts';
import type { Summary } from '../runs/summary/summary.ts';
import type { ByteStream } from '../storage/source.ts';
import type { Target } from '../storage/target.ts';
import { asRowcastError, rejectsWithRowcastError } from './as-rowcast-error.ts';
import { CallbackGuard } from './callback-guard.ts';
import { retryOf, watchOf } from './callbacks.ts';
import { checkObject, readGiven } from './options/given-values.ts';
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
import { RunStop } from './run/run-stop.ts';
import { scoreRecorded } from './run/score-recorded.ts';
import type { ScoreValues } from './run/score-values.ts';
import { withRunScorer } from './scorers/with-run-scorer.ts';
import { type Given, serviceFiles } from './service/choose-service.ts';
import { givenService } from './service/given-service.ts';
import { byteStream, chunksOf, STREAM, streamInputSource } from './streams/byte-input.ts';
import { type WritableOutput, writableOutput } from './streams/writable-output.ts';

/**
 * Scores a CSV: every row back, in order, with its predicted probabilities, as `rowcast score` does.
 *
 * @returns what the run came to; with `ifExists: 'skip'` its `status` may be `skipped`
 * @throws RowcastError, always. After `exitCode` 75 (`retryable`) the same call may succeed later; one that writes to a
 *   file resumes where this one stopped. `interrupted`: the signal was aborted, and its reason is the cause. An output
 *   file appears only when it is complete; an output stream is destroyed with the error
 */
export async function score(options: ScoreOptions): Promise<Summary> {
  let stream: WritableOutput | undefined;
  try {
    return await scoreRun('score', options, stop => {
      const { output } = options;
      if (!isWritable(output)) return pathOf('output', output);
      stream = writableOutput(output, stop);
      return stream.target;
    });
  } catch (error) {
    const failure = asRowcastError(error);
    stream?.fail(failure);
    throw failure;
  }
}

/**
 * The same, to an output that is chosen when the run begins.
 *
 * @param name of the function, for messages
 */
export function scoreRun(
  name: string,
  options: ScoreStreamOptions,
  outputOf: (stop: RunStop) => string | Target,
): Promise<Summary> {
  return rejectsWithRowcastError(async () => {
    checkObject(name, options, 'input, output and report');
    const chunks = chunksOf(options.input);
    const stream = chunks && byteStream(chunks);
    let stop: RunStop | undefined;
    try {
      stop = new RunStop(options.signal);
      return await run(options, { stream, output: outputOf(stop), stop });
    } finally {
      stop?.end();
      // It is not read to its end if the run was refused or has failed.
      stream?.destroy();
    }
  });
}

interface RunEnds {
  /** The input if it is a stream. */
  stream: ByteStream | undefined;
  output: string | Target;
  stop: RunStop;
}

async function run(options: ScoreStreamOptions, { stream, output, stop }: RunEnds): Promise<Summary> {
  const { report, scorer } = options;
  const { home = '.rowcast', ...given } = readGiven(scoreOptions, options, otherOptions);
  if (typeof report !== 'string' || report === '')
    throw new RowcastError('bad_option', 'report: expected an id');
  if (scorer !== undefined && given.url !== undefined)
    throw new RowcastError('bad_option', 'url and scorer exclude each other');
  const isPath = typeof output === 'string';
  const values: ScoreValues = { ...given, report, output: isPath ? output : '-', jobs: 1, failFast: false };
  const input = stream === undefined ? pathOf('input', options.input) : undefined;
  const source = stream && streamInputSource(stream, values);
  const service = givenService(values, home);
  const job = jobOf(values, { input: source && STREAM, file: input, output, service });
  const guard = new CallbackGuard(error => stop.fail(error));
  const onRetry = retryOf(options, guard);
  const { signal, cancel } = stop;
  return recordRun(job, {
    lock: () => lockRunPaths(job.places),
    stop: signal,
    use: (held, record) =>
      withRunScorer({ scorer, values, given: service, onRetry, stop: signal }, used => {
        const scoring = { values, input: input ?? STREAM, held, record, stop: signal };
        const watched = { statistics: used.statistics, stop: signal };
        return scoreRecorded(
          scoring,
          { scorer: used, source },
          { ...watchOf(options, guard, watched), cancel },
        );
      }),
  });
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
  const named = namesOf(values, file === undefined ? [] : [file]);
  const names = input === undefined ? named : { ...named, input };
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

/** A response of an HTTP server is a `Writable` by its type, but not an instance. */
const isWritable = (output: unknown): output is Writable =>
  output instanceof Writable ||
  (typeof output === 'object' && output !== null && 'write' in output && 'destroy' in output);
