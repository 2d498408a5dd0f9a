import { Writable } from 'node:stream';
import { RowcastError } from '../base/errors.ts';
import type { JobValues } from '../base/options/values/run-values.ts';
import { executeRun } from '../runs/execute-run.ts';
import { dataNotes } from '../runs/observers/drift.ts';
import { RunControl } from '../runs/run-control.ts';
import type { Summary } from '../runs/summary/summary.ts';
import { backendsOf } from '../storage/backends.ts';
import type { ByteStream } from '../storage/source.ts';
import type { Target } from '../storage/target.ts';
import { asRowcastError, rejectsWithRowcastError } from './as-rowcast-error.ts';
import { callbacks } from './callbacks.ts';
import { checkObject, pathOf, readGiven } from './options/given-values.ts';
import {
  otherOptions,
  programOptions,
  type ScoreOptions,
  type ScoreStreamOptions,
} from './options/library-options.ts';
import { resultFiles } from './result-files.ts';
import { namesOf, newJob, runOfJob } from './runs-of.ts';
import { openRunScorer } from './scorers/open-run-scorer.ts';
import { serviceFiles } from './service/choose-service.ts';
import { givenService } from './service/given-service.ts';
import { byteChunksOf, byteStream, STREAM, streamInputSource } from './streams/byte-input.ts';
import { writableOutput } from './streams/writable-output.ts';

/**
 * Scores a CSV: every row back, in order, with what is predicted for it, as `rowcast score` does.
 *
 * @returns what the run came to; with `ifExists: 'skip'` its `status` may be `skipped`
 * @throws RowcastError, always. After `exitCode` 75 (`retryable`) the same call may succeed later; one that writes to a
 *   file resumes where this one stopped. `interrupted`: the signal was aborted, and its reason is the cause. An output
 *   file appears only when it is complete; an output stream is destroyed with the error
 */
export async function score(options: ScoreOptions): Promise<Summary> {
  let stream: ReturnType<typeof writableOutput> | undefined;
  try {
    return await scoreRun('score', options, control => {
      const { output } = options;
      if (!isWritable(output)) return pathOf('output', output);
      stream = writableOutput(output, control);
      return stream.target;
    });
  } catch (error) {
    const failure = asRowcastError(error);
    stream?.fail(failure);
    throw failure;
  }
}

/**
 * Scores an input to an output that is chosen when the run begins.
 *
 * @param name of the function, for messages
 */
export function scoreRun(
  name: string,
  options: ScoreStreamOptions,
  outputOf: (control: RunControl) => string | Target,
): Promise<Summary> {
  return rejectsWithRowcastError(async () => {
    checkObject(name, options, 'input, output and report');
    const chunks = byteChunksOf(options.input);
    const stream = chunks && byteStream(chunks);
    let control: RunControl | undefined;
    try {
      control = new RunControl(options.signal);
      return await scoreInput(options, stream, outputOf(control), control);
    } finally {
      control?.end();
      // The input is not read to its end if the run was refused or has failed.
      stream?.destroy();
    }
  });
}

/** @param stream the input if it is one */
async function scoreInput(
  options: ScoreStreamOptions,
  stream: ByteStream | undefined,
  output: string | Target,
  control: RunControl,
): Promise<Summary> {
  const { report, scorer } = options;
  const { home = '.rowcast', ...given } = readGiven(programOptions, options, otherOptions);
  if (typeof report !== 'string' || report === '')
    throw new RowcastError('bad_option', 'report: expected an id');
  if (scorer !== undefined && given.url !== undefined)
    throw new RowcastError('bad_option', 'url and scorer exclude each other');
  const isPath = typeof output === 'string';
  const values: JobValues = { ...given, report, output: isPath ? output : '-', jobs: 1, failFast: false };
  const input = stream === undefined ? pathOf('input', options.input) : undefined;
  const source = stream && streamInputSource(stream, values);
  const service = givenService(values, home);
  const inputs = input === undefined ? [] : [input];
  const names = {
    ...namesOf(values, inputs),
    ...(source && { input: STREAM }),
    ...(!isPath && { output: output.name }),
  };
  const backends = backendsOf(values);
  const job = newJob(values, { backends, inputs, output, names, reads: serviceFiles(service) });
  const { signal } = control;
  const run = runOfJob(job, {
    control,
    observers: [callbacks(options, control), dataNotes(), ...resultFiles(job)],
    openScorer: ({ onRetry }) => openRunScorer({ scorer, values, given: service, onRetry, stop: signal }),
    ...(source !== undefined && { openInput: async () => source }),
  });
  return executeRun(source === undefined ? run : { ...run, values: { ...run.values, input: STREAM } });
}

/** A response of an HTTP server is a `Writable` by its type, but not an instance. */
const isWritable = (output: unknown): output is Writable =>
  output instanceof Writable ||
  (typeof output === 'object' && output !== null && 'write' in output && 'destroy' in output);
