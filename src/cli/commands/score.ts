import { runOptions } from '../../config/options/score.ts';
import { resolveValues } from '../../config/resolve-options.ts';
import { RowcastError } from '../../errors.ts';
import { savedAttempt } from '../../runs/checkpoint/saved-attempt.ts';
import { lockRunPaths } from '../../runs/paths/lock-paths.ts';
import { runFilesOf } from '../../runs/paths/run-files.ts';
import { type RunPathsOptions, resolveRunPaths } from '../../runs/paths/run-paths.ts';
import { Interrupted } from '../../scoring/stop.ts';
import type { UsedFile } from '../../storage/local/used-file.ts';
import { chooseService, homeOf, serviceFiles } from '../choose-service.ts';
import type { Context } from '../context.ts';
import { takeSummary } from '../refused-summary.ts';
import { namesOf } from '../run-names.ts';
import { type ScoreValues, scoreReporting } from '../scoring.ts';
import { onSignals } from '../signals.ts';
import { RunRecord } from '../summary-file.ts';

/** Scores a CSV. */
export const run = (context: Context): Promise<number> => runScore(context, {});

/**
 * Scores a CSV with the options of flags and definition.
 *
 * @param defined the `score` section of a definition; flags override it
 * @param reads files that the command reads in addition to the input and the key file
 */
export async function runScore(
  context: Context,
  defined: Readonly<Record<string, unknown>>,
  reads: readonly UsedFile[] = [],
): Promise<number> {
  const { flags, env, log } = context;
  const job = readJob(context, defined, reads);
  const { values, input, home, places } = job;
  let record: RunRecord | undefined;
  const signals = onSignals({
    onFirst: signal =>
      log.warn(
        `${signal}: finishing in-flight requests (up to 10 s); ${signal === 'SIGINT' ? 'press Ctrl-C again' : 'send it again'} to exit now`,
      ),
    onSecond: signal => record?.failNow(new Interrupted(AbortSignal.abort(signal))),
  });
  const onExit = (code: number): void =>
    record?.failNow(new Error('the process ended before the run did'), code);
  process.on('exit', onExit);
  try {
    const held = await lockRunPaths(places).catch(async error => {
      await recordRefusal(context, job, error);
      throw error;
    });
    try {
      record = new RunRecord(namesOf(values, input), held.summary);
      if (!values.restart && held.output.path !== undefined)
        record.attempt = (await savedAttempt(runFilesOf(held.output.path).checkpoint)) ?? record.attempt;
      if (signals.first.aborted) throw new Interrupted(signals.first);
      await record.begin();
      const address = chooseService(values, flags.url !== undefined, { env, home });
      return await scoreReporting(context, { values, input, address, held, record, stop: signals.first });
    } catch (error) {
      // That is the id of the other run.
      if (error instanceof RowcastError && error.code === 'other_work' && record !== undefined)
        record.attempt = record.newRun;
      await record?.fail(error, log);
      throw error;
    } finally {
      await held.release();
    }
  } finally {
    process.off('exit', onExit);
    signals.end();
  }
}

/**
 * Checks the paths of a run before it starts.
 *
 * @throws RowcastError those of `resolveRunPaths`
 */
export async function checkPaths(
  context: Context,
  defined: Readonly<Record<string, unknown>>,
  reads: readonly UsedFile[],
): Promise<void> {
  await resolveRunPaths(readJob(context, defined, reads).places);
}

/** Writes that a run is in progress, before a training that it waits for. */
export async function recordStart(
  context: Context,
  defined: Readonly<Record<string, unknown>>,
  reads: readonly UsedFile[],
): Promise<void> {
  const { values, input, places } = readJob(context, defined, reads);
  const held = await takeSummary(places);
  if (held === undefined) return;
  await new RunRecord(namesOf(values, input), held.target).begin();
  await held.release();
}

/** Writes the summary of a run that could not start, if it has one. */
export async function recordEarlyEnd(
  context: Context,
  defined: Readonly<Record<string, unknown>>,
  reads: readonly UsedFile[],
  error: unknown,
): Promise<void> {
  await recordRefusal(context, readJob(context, defined, reads), error);
}

interface Job {
  values: ScoreValues;
  input: string;
  /** Folder of the local reports. */
  home: string;
  places: RunPathsOptions;
}

async function recordRefusal({ log }: Context, job: Job, error: unknown): Promise<void> {
  const held = await takeSummary(job.places, error);
  if (held === undefined) return;
  await new RunRecord(namesOf(job.values, job.input), held.target).fail(error, log);
  await held.release();
}

function readJob(
  { flags, env }: Context,
  defined: Readonly<Record<string, unknown>>,
  reads: readonly UsedFile[],
): Job {
  const values = resolveValues(runOptions, flags, defined);
  const home = homeOf({ flags, env }, defined);
  const input = String(flags.input ?? defined.input ?? '-');
  const { output, rejects, summary, private: isPrivate } = values;
  const files = [...reads, ...serviceFiles(values, { env, home })];
  return {
    values,
    input,
    home,
    places: { input, output, rejects, summary, private: isPrivate, reads: files },
  };
}
