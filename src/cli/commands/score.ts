import { setFlagsFromString } from 'node:v8';
import { RowcastError } from '../../base/errors.ts';
import { shardOptions, workersOption } from '../../base/options/shards.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { reasonOf } from '../../base/system-error.ts';
import { memoryOf } from '../../library/run-memory.ts';
import { reportOf, runOfJob } from '../../library/runs-of.ts';
import { chooseService } from '../../library/service/choose-service.ts';
import { openPredictor } from '../../library/service/open-predictor.ts';
import { executeRun } from '../../runs/execute-run.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import type { RequestWatch } from '../../runs/observer.ts';
import { writeUnlocked } from '../../runs/observers/summary-file.ts';
import { resolveRunPaths } from '../../runs/paths/run-paths.ts';
import type { RunJob } from '../../runs/run.ts';
import { RunTracker } from '../../runs/run-tracker.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import type { OpenScorer, SharedScorer } from '../../scoring/scorer.ts';
import type { UsedFile } from '../../storage/target.ts';
import { warnOfHome } from '../check-surroundings.ts';
import type { Context } from '../context.ts';
import { tellingEnd } from '../ending/telling-end.ts';
import { observersOf } from '../score/observers.ts';
import { readJob } from '../score/read-job.ts';
import { type SignalledRun, untilSignal } from '../score/until-signal.ts';

/** Scores a file, or several. */
export const run = (context: Context): Promise<number> => tellingEnd('score', context, runScore);

/**
 * Scores with the options of flags and definition.
 *
 * @param reads files that the command reads in addition to the inputs and the key file
 */
export async function runScore(context: Context, reads: readonly UsedFile[] = []): Promise<number> {
  const ending = new AbortController();
  const job = await readJob(context, reads, ending.signal);
  if (resolveValues(workersOption, context.flags, context.defined).workers > 0 || (await wantsQueue(context)))
    return (await import('../shards/score-workers.ts')).scoreWorkers(context, job);
  checkNoShards({ ...context.defined, ...context.flags });
  const { exit_code } = await untilSignal(context, run => {
    run.control.signal.addEventListener('abort', () => ending.abort());
    return job.isMany
      ? executeMany(context, job, run)
      : executeRun(
          runOfJob(job, {
            control: run.control,
            observers: observersOf(context, job, run),
            openScorer: scorerOf(context, job, run),
          }),
        );
  });
  return exit_code ?? ExitCode.done;
}

async function executeMany(context: Context, job: RunJob, run: SignalledRun): Promise<Summary> {
  // Loaded only when they are needed.
  const { executeFiles } = await import('../../library/several/execute-files.ts');
  const { filesWatch } = await import('../score/files-watch.ts');
  const watch = filesWatch(context, job, run);
  keepHeapSmall();
  return executeFiles({ job, control: run.control, watch, openScorer: scorerOf(context, job, run) });
}

/**
 * Of many files, each is soon forgotten. So V8's young generation stays as small as it begins, instead of growing to
 * three times 16 MB, and garbage is collected when the heap has grown by a third: without that, it takes four times
 * what is in use.
 */
function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=30');
}

/** Opens what predicts, once it is known that there is a report. */
const scorerOf =
  (context: Context, { values }: RunJob, { control: { signal: stop } }: SignalledRun) =>
  async ({ onRetry, trace }: RequestWatch): Promise<OpenScorer<SharedScorer>> => {
    reportOf(values);
    const { env } = context;
    const address = chooseService(context);
    if (address.kind === 'local') await warnOfHome(context, address.home);
    return openPredictor({ values, address, env, onRetry, trace, stop });
  };

/**
 * Whether a queue is given; the rest of it is loaded only then. What the variable of other commands has refuses no run.
 */
async function wantsQueue({ flags, env, log }: Context): Promise<boolean> {
  if (flags.queue !== undefined) return flags.queue !== 'none';
  if (!env.ROWCAST_QUEUE) return false;
  const { chooseQueue } = await import('../../shards/queue/queue-address.ts');
  try {
    return chooseQueue(undefined, env.ROWCAST_QUEUE) !== undefined;
  } catch (error) {
    log.warn({ event: 'queue_ignored' }, `${reasonOf(error)}; the run does without a queue`);
    return false;
  }
}

/** @throws RowcastError `usage` */
function checkNoShards(given: Readonly<Record<string, unknown>>): void {
  const flag = Object.keys(shardOptions).find(name => given[name] !== undefined);
  // `--workers 0` overrides the workers of a definition, so its other options for shards have no effect.
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
export async function checkPaths(job: RunJob): Promise<void> {
  // What is not there yet is waited for after the training.
  const { waitForInput, readyFile } = job.values;
  if (job.isMany && (waitForInput > 0 || readyFile !== undefined)) return;
  if (job.isMany) await (await import('../../library/several/plan-files.ts')).planFiles(job);
  else await resolveRunPaths(job.paths);
}

/** Writes that a run is in progress, before a training that it waits for. */
export async function recordStart(job: RunJob): Promise<void> {
  const tracker = trackerOf(job);
  await tracker.recall();
  await writeUnlocked(job.paths, tracker.state);
}

/** Writes the summary of a run that could not start, if it has one. */
export async function recordEarlyEnd({ log }: Context, job: RunJob, error: unknown): Promise<void> {
  const summary = await trackerOf(job).fail(error);
  await writeUnlocked(job.paths, summary).catch(cause =>
    log.warn({ event: 'summary_not_written' }, `cannot write the summary: ${reasonOf(cause)}`),
  );
}

const trackerOf = (job: RunJob): RunTracker => new RunTracker({ names: job.names, memory: memoryOf(job) });
