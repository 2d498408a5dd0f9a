import { RowcastError } from '../../base/errors.ts';
import { shardOptions, workersOption } from '../../base/options/shards.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { reasonOf } from '../../base/system-error.ts';
import { reportOf, runOfJob } from '../../library/runs-of.ts';
import { chooseService } from '../../library/service/choose-service.ts';
import { openPredictor } from '../../library/service/open-predictor.ts';
import { executeRun } from '../../runs/execute-run.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { writeUnlocked } from '../../runs/observers/summary-file.ts';
import { resolveRunPaths } from '../../runs/paths/run-paths.ts';
import { RunRecord } from '../../runs/run-record.ts';
import type { UsedFile } from '../../storage/local/used-file.ts';
import type { Context } from '../context.ts';
import { observersOf } from '../score/observers.ts';
import { readJob } from '../score/read-job.ts';
import { untilSignal } from '../score/until-signal.ts';

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
  if (resolveValues(workersOption, context.flags, defined).workers > 0 || wantsQueue(context))
    return (await import('../shards/score-workers.ts')).scoreWorkers(context, defined, job);
  checkNoShards({ ...defined, ...context.flags });
  // Loaded only when it is needed.
  if (job.isMany) return (await import('../score/score-files.ts')).scoreFiles(context, defined, job);
  const { values } = job;
  const summary = await untilSignal(context, control => {
    const run = runOfJob(job, {
      control,
      observers: observersOf(context, defined, job, control),
      openScorer({ onRetry, trace }) {
        reportOf(values);
        const { env } = context;
        const { signal: stop } = control;
        return openPredictor({ values, address: chooseService(context, defined), env, onRetry, trace, stop });
      },
    });
    const record = new RunRecord(run);
    return { run: record, result: () => executeRun(run, record) };
  });
  return summary.exit_code ?? ExitCode.done;
}

/** Whether a queue is given; the rest of it is loaded only then. */
const wantsQueue = ({ flags, env }: Context): boolean =>
  flags.queue === undefined ? Boolean(env.ROWCAST_QUEUE) : flags.queue !== 'none';

/** @throws RowcastError `usage` */
function checkNoShards(given: Readonly<Record<string, unknown>>): void {
  const flag = Object.keys(shardOptions).find(name => given[name] !== undefined);
  // Who gives --workers 0 to a definition wants none.
  if (flag !== undefined && given.workers === undefined)
    throw new RowcastError('usage', `--${flag} has no effect without --workers or --queue`, {
      hint: 'Give --workers N; or write a plan for other machines: rowcast plan … --shards DIR.',
    });
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
  await writeUnlocked(places, new RunRecord({ names }).state);
}

/** Writes the summary of a run that could not start, if it has one. */
export async function recordEarlyEnd(
  context: Context,
  defined: Readonly<Record<string, unknown>>,
  reads: readonly UsedFile[],
  error: unknown,
): Promise<void> {
  const { names, places } = await readJob(context, defined, reads);
  const summary = await new RunRecord({ names }).fail(error);
  await writeUnlocked(places, summary).catch(cause =>
    context.log.warn({ event: 'summary_not_written' }, `cannot write the summary: ${reasonOf(cause)}`),
  );
}
