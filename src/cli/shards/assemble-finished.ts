import { Interrupted } from '../../base/interrupted.ts';
import { sizeOf } from '../../base/number-text.ts';
import { readVersion } from '../../base/version.ts';
import { resultFiles } from '../../library/result-files.ts';
import { memoryOf } from '../../library/run-memory.ts';
import { chooseService, serviceFiles } from '../../library/service/choose-service.ts';
import { withScorer } from '../../library/service/open-predictor.ts';
import { needsCounts, plannedJob, plannedValues } from '../../library/shards/assemble-job.ts';
import { assembleRun } from '../../library/shards/assemble-run.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { isUnrecognizedError } from '../../runs/guards/unrecognized-limits.ts';
import { RunControl } from '../../runs/run-control.ts';
import { RunRecord } from '../../runs/run-record.ts';
import type { RunNote, Summary } from '../../runs/summary/summary.ts';
import { LOCAL } from '../../scoring/scorer.ts';
import { checkComplete } from '../../shards/assemble/check-complete.ts';
import type { FileParts } from '../../shards/assemble/file-parts.ts';
import { type JoinedTally, joinTallies, noTallies } from '../../shards/assemble/joined-tallies.ts';
import { removeFolder } from '../../shards/assemble/remove-folder.ts';
import type { ShardedRun } from '../../shards/folder/read-run.ts';
import { checkWorker } from '../../shards/work/check-worker.ts';
import type { Context } from '../context.ts';
import { reportedRequests } from '../open-service.ts';
import { logDrift } from '../score/log-drift.ts';
import { logRunId } from '../score/log-run-id.ts';
import { logRunWarnings } from '../score/log-run-warnings.ts';
import { onSignals } from '../signals.ts';
import { openProgress, progressMode } from '../terminal/progress.ts';
import { percentText } from '../terminal/progress-text.ts';
import { reportAssembled, spaceText } from './report-assembled.ts';
import { storesIn } from './store-flags.ts';
import { traceAssembling } from './trace-assembling.ts';
import { workCommandOf } from './work-command.ts';

type Section = Readonly<Record<string, unknown>>;

/**
 * Joins shards that are all finished, and removes their folder.
 *
 * @param defined the `score` section of a definition; flags override it
 * @param onRecord called with what is known of the run
 * @returns the exit code
 */
export async function assembleFinished(
  given: Context,
  sharded: ShardedRun,
  defined: Section = {},
  onRecord: (record: RunRecord) => void = () => {},
): Promise<number> {
  // The plan does not say how stores are reached.
  const context = { ...given, flags: { ...storesIn(defined), ...given.flags } };
  checkComplete(sharded, workCommandOf(context, sharded));
  const { exit_code } = await assemble(context, sharded, { defined, onRecord });
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
  { defined, onRecord }: { defined: Section; onRecord: (record: RunRecord) => void },
): Promise<Summary> {
  const { env, flags, log, logFields, commandLine } = given;
  const { plan } = sharded;
  const values = plannedValues(plan, flags);
  const job = plannedJob(plan, values, serviceFiles(given, defined));
  const signals = onSignals({
    onFirst: signal => log.warn({ event: 'signal', signal }, `${signal}: saving a checkpoint`),
    onSecond: () => {},
  });
  const stop = signals.first;
  const control = new RunControl(stop);
  const address = () => chooseService(given, { ...defined, protocol: values.protocol });
  const progress = openProgress({ ...progressMode(flags), output: '', logFormat: given.logFormat, log });
  const traced = await traceAssembling(given, job, plan);
  const context: Context = { ...given, telemetry: traced?.run };
  const countAll = async (files: readonly FileParts[]) => {
    const opening = { values, address: address(), env, ...reportedRequests(context, values), stop };
    return withScorer(opening, async scorer => {
      await checkWorker(plan, { scorer, version: readVersion(), stop });
      const { last } = record;
      const note = (warning: RunNote): void => record.note(warning);
      return joinTallies(files, plan, values, { scorer, stop, backends: job.backends, last, note });
    });
  };
  const count = async (files: readonly FileParts[]) => {
    if (needsCounts(values)) return countAll(files);
    // Only for a warning and the default limits, for which no service is asked.
    const isLocal = plan.service === LOCAL && address().kind === 'local';
    return isLocal ? countAll(files).catch(unlessBeyond) : noTallies;
  };
  const record = new RunRecord({
    names: job.names,
    memory: memoryOf(job),
    observers: [
      logRunId(logFields),
      logRunWarnings(log),
      ...resultFiles(job),
      { ended: summary => given.onOutcome?.(summary) },
    ],
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
          cells: [percentText(bytes / all), `${sizeOf(bytes)} joined`],
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
