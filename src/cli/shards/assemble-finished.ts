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
import type { RunTelemetry } from '../../runs/observers/telemetry/run-telemetry.ts';
import { runFilesOf } from '../../runs/paths/run-files.ts';
import type { RunJob } from '../../runs/run.ts';
import { RunControl } from '../../runs/run-control.ts';
import { RunRecord } from '../../runs/run-record.ts';
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
import { describeFiles } from '../score/files-text.ts';
import { logDrift } from '../score/log-run.ts';
import { observersOfJoining } from '../score/observers.ts';
import { beginTelemetry } from '../score/sent-events.ts';
import { afterSignal } from '../score/until-signal.ts';
import { onSignals } from '../signals.ts';
import { openProgress, progressPercent } from '../terminal/progress.ts';
import { describeSummary, shownPath } from '../terminal/summary-text.ts';
import { FollowedRun } from './followed-run.ts';
import { storesIn } from './store-flags.ts';
import { plannedAddress, workCommandOf } from './work-command.ts';

/**
 * Joins shards that are all finished, and removes their folder.
 *
 * @param onRecord called with what is known of the run
 * @returns the exit code
 */
export async function assembleFinished(
  given: Context,
  sharded: ShardedRun,
  onRecord: (record: RunRecord) => void = () => {},
): Promise<number> {
  // The plan does not say how stores are reached.
  const context = { ...given, flags: { ...storesIn(given.defined), ...given.flags } };
  checkComplete(sharded, workCommandOf(context, sharded));
  const { exit_code } = await assemble(context, sharded, onRecord);
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
  onRecord: (record: RunRecord) => void,
): Promise<Summary> {
  const { flags, defined, log, commandLine } = given;
  const { plan } = sharded;
  const values = plannedValues(plan, flags);
  const job = plannedJob(plan, values, serviceFiles(given));
  const signals = onSignals({
    onFirst: signal => log.warn({ event: 'signal', signal }, `${signal}: saving a checkpoint`),
    onSecond: () => {},
  });
  const stop = signals.first;
  const control = new RunControl(stop);
  const progress = openProgress(given);
  const traced = await traceAssembling(given, job, plan);
  const context: Context = {
    ...given,
    defined: { ...defined, protocol: values.protocol },
    telemetry: traced?.run,
  };
  const countAll = async (files: readonly FileParts[]) =>
    withScorer(scorerOptionsOf(context, values, stop), async scorer => {
      await checkWorker(plan, { scorer, version: readVersion(), stop });
      const { last } = record;
      const note = (warning: RunNote): void => record.note(warning);
      return joinTallies(files, plan, values, { scorer, stop, backends: job.backends, last, note });
    });
  const count = async (files: readonly FileParts[]) => {
    if (needsCounts(values)) return countAll(files);
    // Only for a warning and the default limits, for which no service is asked.
    const isLocal = plan.service === LOCAL && chooseService(context).kind === 'local';
    return isLocal ? countAll(files).catch(unlessBeyond) : noTallies;
  };
  const record = new RunRecord({
    names: job.names,
    memory: memoryOf(job),
    observers: observersOfJoining(given, job),
    control,
  });
  traced?.follow(record);
  onRecord(record);
  const join = () =>
    assembleRun({
      run: sharded,
      values,
      job,
      record,
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
    const summary = await (traced?.run.within(join) ?? join());
    progress.close();
    reportAssembled(context, sharded.plan, summary);
    return summary;
  } catch (error) {
    if (error instanceof Interrupted)
      log.info({ event: 'assembly_suspended', command: commandLine }, `to go on, run: ${commandLine}`);
    throw error;
  } finally {
    progress.close();
    await traced?.close(stop);
    signals.end();
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

/** Traces and metrics of joining the parts of a run. */
interface TracedAssembling {
  run: RunTelemetry;
  /** The run has this record from now on. */
  follow(record: RunRecord): void;
  /** @param stop aborted by a signal */
  close(stop: AbortSignal): Promise<void>;
}

/** Begins to send them, in the trace of the command if it does more than that; undefined if nothing is sent. */
async function traceAssembling(
  context: Context,
  { names }: RunJob,
  plan: ShardPlan,
): Promise<TracedAssembling | undefined> {
  const followed = new FollowedRun(new RunRecord({ names }), { 'rowcast.plan': plan.id });
  const follow = (record: RunRecord): void => followed.follow(record);
  if (context.telemetry !== undefined) {
    const run = context.telemetry.begin(followed, 'rowcast.assemble');
    return { run, follow, close: async () => run.end() };
  }
  const telemetry = await beginTelemetry(context, followed, { name: 'rowcast.run', parent: plan.trace });
  return (
    telemetry && {
      run: telemetry.run,
      follow,
      close: stop => telemetry.close(afterSignal(stop)),
    }
  );
}
