import { Interrupted } from '../../base/interrupted.ts';
import { countOf, sizeOf } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import { readVersion } from '../../base/version.ts';
import { memoryOf } from '../../library/run-memory.ts';
import { chooseService, serviceFiles } from '../../library/service/choose-service.ts';
import { withScorer } from '../../library/service/open-predictor.ts';
import { needsCounts, plannedJob, plannedValues } from '../../library/shards/assemble-job.ts';
import { assembleRun } from '../../library/shards/assemble-run.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { isUnrecognizedError } from '../../runs/guards/unrecognized-limits.ts';
import { followedRun } from '../../runs/observers/telemetry/run-observers.ts';
import { runFilesOf } from '../../runs/paths/run-files.ts';
import { RunControl } from '../../runs/run-control.ts';
import { RunTracker } from '../../runs/run-tracker.ts';
import type { RunNote, Summary } from '../../runs/summary/summary.ts';
import { LOCAL } from '../../scoring/scorer.ts';
import { checkComplete } from '../../shards/assemble/check-complete.ts';
import type { FileParts } from '../../shards/assemble/file-parts.ts';
import { removeFolder } from '../../shards/assemble/join-state.ts';
import { type JoinedTally, joinTallies, noTallies } from '../../shards/assemble/joined-tallies.ts';
import type { SpaceNeed } from '../../shards/assemble/pending-parts.ts';
import { isSingle, type ShardPlan } from '../../shards/folder/plan-shape.ts';
import type { ShardedRun } from '../../shards/folder/read-run.ts';
import { checkWorker } from '../../shards/work/check-worker.ts';
import type { Context } from '../context.ts';
import { scorerOptionsOf } from '../open-service.ts';
import { describeRejects } from '../repair-commands.ts';
import { logDrift } from '../score/log-run.ts';
import { observersOfJoining } from '../score/observers.ts';
import { beginTelemetry } from '../score/sent-events.ts';
import { afterSignal } from '../score/until-signal.ts';
import { untilStopped } from '../signals.ts';
import { describeFiles } from '../terminal/files-text.ts';
import { openProgress, progressPercent } from '../terminal/progress.ts';
import { describeSummary, shownPath } from '../terminal/summary-text.ts';
import { storesIn } from './store-flags.ts';
import { plannedAddress, workCommandOf } from './work-command.ts';

/**
 * Joins shards that are all finished, and removes their folder.
 *
 * @param onTracker called with what is known of the run
 * @returns the exit code
 */
export async function assembleFinished(
  given: Context,
  sharded: ShardedRun,
  onTracker: (tracker: RunTracker) => void = () => {},
): Promise<number> {
  // The plan does not say how stores are reached.
  const context = { ...given, flags: { ...storesIn(given.defined), ...given.flags } };
  checkComplete(sharded, workCommandOf(context, sharded));
  const signals = { stopping: 'saving a checkpoint', onSecond: () => {} };
  const { exit_code } = await untilStopped(context.log, signals, stop =>
    assemble(context, sharded, onTracker, stop),
  );
  await removeFolder(sharded.folder, exit_code ?? ExitCode.done);
  return exit_code ?? ExitCode.done;
}

/** What was counted may be unknown, but if it is beyond a limit, the run stops. */
function unlessBeyond(error: unknown): JoinedTally {
  if (isUnrecognizedError(error)) throw error;
  return noTallies;
}

async function assemble(
  given: Context,
  sharded: ShardedRun,
  onTracker: (tracker: RunTracker) => void,
  stop: AbortSignal,
): Promise<Summary> {
  const { flags, defined, log, commandLine } = given;
  const { plan } = sharded;
  const values = plannedValues(plan, flags);
  const job = plannedJob(plan, values, serviceFiles(given));
  const control = new RunControl(stop);
  const progress = openProgress(given);
  const traced = followedRun(new RunTracker({ names: job.names }), { 'rowcast.plan': plan.id });
  // In the trace of the command, if it does more than that.
  const telemetry =
    given.telemetry === undefined
      ? await beginTelemetry(given, traced, { name: 'rowcast.run', parent: plan.trace })
      : undefined;
  const trace = telemetry?.run ?? given.telemetry?.begin(traced, 'rowcast.assemble');
  const context: Context = {
    ...given,
    defined: { ...defined, protocol: values.protocol },
    telemetry: trace,
  };
  const countAll = async (files: readonly FileParts[]) =>
    withScorer(scorerOptionsOf(context, values, stop), async scorer => {
      await checkWorker(plan, { scorer, version: readVersion(), stop });
      const { last } = tracker;
      const note = (warning: RunNote): void => tracker.note(warning);
      return joinTallies(files, plan, values, { scorer, stop, backends: job.backends, last, note });
    });
  const count = async (files: readonly FileParts[]) => {
    if (needsCounts(values)) return countAll(files);
    // Only for a warning and the default limits, for which no service is asked.
    const isLocal = plan.service === LOCAL && chooseService(context).kind === 'local';
    return isLocal ? countAll(files).catch(unlessBeyond) : noTallies;
  };
  const tracker = new RunTracker({
    names: job.names,
    memory: memoryOf(job),
    observers: observersOfJoining(given, job),
    control,
  });
  traced.follow(tracker);
  onTracker(tracker);
  const join = () =>
    assembleRun({
      run: sharded,
      values,
      job,
      tracker,
      control,
      count,
      workCommand: workCommandOf(context, sharded),
      onSpace: (parts, needs) =>
        log.info({ event: 'assembly_started', parts, needs }, spaceText(parts, needs)),
      onJoined: (bytes, all) =>
        progress.show(() => ({
          cells: [progressPercent(bytes / all), `${sizeOf(bytes)} joined`],
          fields: { percent: Math.floor((100 * bytes) / all), bytes },
        })),
      onDrift: line => logDrift(log, line, false),
      onUnrecorded: reason =>
        log.warn({ event: 'ledger_not_written' }, `cannot record the finished runs: ${reason}`),
    });
  try {
    const summary = await (trace?.within(join) ?? join());
    progress.close();
    reportAssembled(context, sharded.plan, summary);
    return summary;
  } catch (error) {
    if (error instanceof Interrupted)
      log.info({ event: 'assembly_suspended', command: commandLine }, `to go on, run: ${commandLine}`);
    throw error;
  } finally {
    progress.close();
    if (telemetry === undefined) trace?.end();
    else await telemetry.close(afterSignal(stop));
  }
}

/** Logs how a run has ended whose parts are joined. */
function reportAssembled(context: Context, plan: ShardPlan, summary: Summary): void {
  const { env, log } = context;
  for (const { input, warnings } of summary.runs ?? [summary])
    for (const { code, message } of warnings)
      if (code === 'unknown_values')
        log.warn(
          { event: 'unknown_values', input },
          summary.runs ? `${sanitize(shownPath(input))}: ${message}` : message,
        );
  const [file] = plan.files;
  if (file === undefined || !isSingle(plan)) {
    const rejectedBefore = plan.unchanged.reduce((sum, { rows }) => sum + rows.rejected, 0);
    log.info({ event: 'files_finished', summary }, describeFiles(summary, rejectedBefore));
    return;
  }
  log.info({ event: 'run_finished', summary }, describeSummary(summary));
  if (summary.rows.rejected === 0) return;
  const { input, output } = file;
  const rejects = file.rejects ?? runFilesOf(output).rejects;
  const values = { ...plannedValues(plan, context.flags), output, rejects: file.rejects ?? undefined };
  const address = plannedAddress(context, plan);
  const { prediction } = summary;
  log.info(
    { event: 'rejects_left', rejects },
    describeRejects({ format: file.format, values, input, address, rejects, env, prediction }),
  );
}

/** For example `joining 12 parts; this needs up to 512.0 MB more on the disk of /data, and 31.2 GB are free`. */
function spaceText(parts: number, needs: readonly SpaceNeed[]): string {
  const each = needs
    .filter(({ bytes }) => bytes > 0)
    .map(
      ({ folder, bytes, free }) =>
        `${sizeOf(bytes)} more on the disk of ${folder}, and ${sizeOf(free)} are free`,
    );
  const space = each.length === 0 ? '' : `; this needs up to ${each.join('; ')}`;
  return `joining ${countOf(parts, 'part')}${space}`;
}
