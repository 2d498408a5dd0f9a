import { RowcastError } from '../../errors.ts';
import { savedAttempt } from '../../runs/checkpoint/saved-attempt.ts';
import { type LockedOutput, lockRunPaths } from '../../runs/paths/lock-paths.ts';
import { runFilesOf } from '../../runs/paths/run-files.ts';
import { resolveRunPaths } from '../../runs/paths/run-paths.ts';
import { Interrupted } from '../../scoring/stop.ts';
import type { UsedFile } from '../../storage/local/used-file.ts';
import type { Target } from '../../storage/target.ts';
import { chooseService } from '../choose-service.ts';
import type { Context } from '../context.ts';
import { takeSummary } from '../refused-summary.ts';
import { lockMetrics, lockSummary } from '../score/lock-reports.ts';
import { type Job, readJob } from '../score/read-job.ts';
import { scoreReporting } from '../scoring.ts';
import { onSignals } from '../signals.ts';
import { RunRecord } from '../summary-file.ts';

/** Scores a CSV, or several. */
export const run = (context: Context): Promise<number> => runScore(context, {});

/**
 * Scores with the options of flags and definition.
 *
 * @param defined the `score` section of a definition; flags override it
 * @param reads files that the command reads in addition to the inputs and the key file
 */
export async function runScore(
  context: Context,
  defined: Readonly<Record<string, unknown>>,
  reads: readonly UsedFile[] = [],
): Promise<number> {
  const job = await readJob(context, defined, reads);
  const addressOf = () =>
    chooseService(job.values, context.flags.url !== undefined, { env: context.env, home: job.home });
  if (!job.isMany)
    return withRecord(context, job, {
      lock: () => lockRunPaths(job.places),
      use: (held, record, stop) => {
        const [input = '-'] = job.inputs;
        return scoreReporting(context, { values: job.values, input, held, record, stop }, addressOf());
      },
    });
  // Loaded only when it is needed.
  const { scoreFiles } = await import('../score/score-files.ts');
  return withRecord(context, job, {
    lock: () => lockSummary(job),
    use: (_, record, stop) => scoreFiles(context, { job, address: addressOf(), record, stop }),
  });
}

interface LockedRun<T> {
  lock: () => Promise<T>;
  use: (held: T, record: RunRecord, stop: AbortSignal) => Promise<number>;
}

/** Runs with locked files, and writes how it ended to the summary, whatever happens. */
async function withRecord<
  T extends { summary: Target | undefined; output?: Target; release(): Promise<void> },
>(context: Context, job: Job, { lock, use }: LockedRun<T>): Promise<number> {
  const { log, logFields } = context;
  let record: RunRecord | undefined;
  let metrics: LockedOutput | undefined;
  const signals = onSignals({
    onFirst: signal =>
      log.warn(
        { event: 'signal', signal },
        `${signal}: finishing in-flight requests (up to 10 s); ${signal === 'SIGINT' ? 'press Ctrl-C again' : 'send it again'} to exit now`,
      ),
    onSecond: signal => record?.failNow(new Interrupted(AbortSignal.abort(signal))),
  });
  const onExit = (code: number): void =>
    record?.failNow(new Error('the process ended before the run did'), code);
  process.on('exit', onExit);
  try {
    const held = await lock().catch(async error => {
      await recordRefusal(context, job, error);
      throw error;
    });
    try {
      record = new RunRecord(job.names, held.summary);
      const output = held.output?.path;
      if (!job.values.restart && output !== undefined)
        record.attempt = (await savedAttempt(runFilesOf(output).checkpoint)) ?? record.attempt;
      logFields.run_id = record.attempt.runId;
      if (!job.isMany) logFields.input = record.names.input;
      if (signals.first.aborted) throw new Interrupted(signals.first);
      metrics = await lockMetrics(job);
      record.metrics = metrics?.target;
      await record.begin();
      return await use(held, record, signals.first);
    } catch (error) {
      // That is the id of the other run.
      if (error instanceof RowcastError && error.code === 'other_work' && record !== undefined)
        record.attempt = record.newRun;
      if (record !== undefined) logFields.run_id = record.attempt.runId;
      await record?.fail(error, log);
      throw error;
    } finally {
      await metrics?.release();
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
 * @throws RowcastError those of `resolveRunPaths` and `planFiles`
 */
export async function checkPaths(
  context: Context,
  defined: Readonly<Record<string, unknown>>,
  reads: readonly UsedFile[],
): Promise<void> {
  const job = await readJob(context, defined, reads);
  if (job.isMany) await (await import('../score/score-files.ts')).planFiles(job);
  else await resolveRunPaths(job.places);
}

/** Writes that a run is in progress, before a training that it waits for. */
export async function recordStart(
  context: Context,
  defined: Readonly<Record<string, unknown>>,
  reads: readonly UsedFile[],
): Promise<void> {
  const { names, places } = await readJob(context, defined, reads);
  const held = await takeSummary(places);
  if (held === undefined) return;
  await new RunRecord(names, held.target).begin();
  await held.release();
}

/** Writes the summary of a run that could not start, if it has one. */
export async function recordEarlyEnd(
  context: Context,
  defined: Readonly<Record<string, unknown>>,
  reads: readonly UsedFile[],
  error: unknown,
): Promise<void> {
  await recordRefusal(context, await readJob(context, defined, reads), error);
}

async function recordRefusal({ log }: Context, job: Job, error: unknown): Promise<void> {
  const held = await takeSummary(job.places, error);
  if (held === undefined) return;
  await new RunRecord(job.names, held.target).fail(error, log);
  await held.release();
}
