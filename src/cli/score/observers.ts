import { isRejectsFile } from '../../formats/records/reject.ts';
import { resultFiles } from '../../library/result-files.ts';
import { chooseService } from '../../library/service/choose-service.ts';
import type { RunObserver } from '../../runs/observer.ts';
import { runFilesOf } from '../../runs/paths/run-files.ts';
import type { RunJob } from '../../runs/run.ts';
import type { FilePair } from '../../runs/several/pair-files.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import { checkStdout } from '../check-surroundings.ts';
import type { Context } from '../context.ts';
import { describeRejects } from '../repair-commands.ts';
import { retryLines } from '../retry-lines.ts';
import { progressLine } from '../terminal/progress.ts';
import { logData, logRunId, logRunWarnings, rejectLog, runLog, waitingLog } from './log-run.ts';
import { nameOf } from './read-job.ts';
import { lineageEvents, runTelemetry } from './sent-events.ts';
import type { SignalledRun } from './until-signal.ts';

/** What may watch a run of a command. */
type Watcher =
  | ('runId' | 'service' | 'waiting' | 'progress' | 'log' | 'rejects' | 'retries' | 'data')
  | ('resultFiles' | 'warnings' | 'outcome' | 'stdout' | 'lineage' | 'telemetry');

/**
 * The observers of a kind of run, in the order in which they are called.
 *
 * @param without the watchers that such a run does not have; a list that lacks any other one does not compile
 */
const watched = <W extends Watcher = never>(
  _without: readonly W[],
  watchers: Record<Exclude<Watcher, W>, RunObserver | RunObserver[]>,
): RunObserver[] => Object.values<RunObserver | RunObserver[]>(watchers).flat();

/**
 * Everything that watches the run of a command with a single input.
 *
 * @param onService called with the name of who predicts
 */
export function observersOf(
  context: Context,
  job: RunJob,
  { control: { signal: stop }, onService }: SignalledRun,
): RunObserver[] {
  const { env, log, logFields } = context;
  const { values } = job;
  const { output, rejects, report = '', maxOutage } = values;
  const [input = '-'] = job.inputs;
  const path = rejects ?? (output === '-' ? undefined : runFilesOf(output).rejects);
  let isAgain = false;
  let format: string | undefined;
  const describe = (path: string, { prediction }: Summary): string =>
    describeRejects({
      isAgain,
      format,
      values,
      input,
      address: chooseService(context),
      rejects: path,
      env,
      prediction,
    });
  logFields.input = nameOf(job);
  return watched([], {
    runId: logRunId(logFields),
    service: {
      ready: (_, scorer) => onService(scorer.name),
      opened({ columnsOf, attempt }) {
        const columns = columnsOf(attempt.runId);
        isAgain = isRejectsFile(columns?.input.map(({ name }) => name) ?? []);
        format = columns?.format;
      },
    },
    waiting: { waiting: waitingLog(log) },
    progress: progressLine(context, { output }, stop),
    log: runLog(context, {
      report,
      input,
      output,
      isPart: false,
      rejects: path === undefined ? undefined : { path, describe: summary => describe(path, summary) },
    }),
    rejects: rejectLog(log, input === '-' ? 'stdin' : input, path !== undefined),
    retries: { retried: retryLines(log, maxOutage) },
    data: logData(log, false),
    resultFiles: resultFiles(job),
    warnings: logRunWarnings(log),
    outcome: { ended: summary => context.onOutcome?.(summary) },
    stdout: { begin: (_, files) => checkStdout([files.output, files.rejects, files.summary]) },
    lineage: lineageEvents(context, stop),
    telemetry: runTelemetry(context, 'rowcast.run', stop),
  });
}

/**
 * What watches several files of a command as if they were one run, and what their runs have in common: `FilesWatch`
 * shows progress and end. Each run has observers of its own.
 */
export function observersOfFiles(context: Context, job: RunJob, stop: AbortSignal) {
  const { log, logFields } = context;
  const telemetry = runTelemetry(context, 'rowcast.runs', stop);
  const lineage = lineageEvents(context, stop, true);
  const observers = watched(['service', 'progress', 'log', 'rejects', 'data', 'stdout'], {
    runId: logRunId(logFields),
    waiting: { waiting: waitingLog(log) },
    retries: { retried: retryLines(log, job.values.maxOutage) },
    resultFiles: resultFiles(job),
    warnings: logRunWarnings(log),
    outcome: { ended: summary => context.onOutcome?.(summary) },
    lineage,
    telemetry,
  });
  return { observers, telemetry, lineage };
}

/**
 * What watches the run of one of several files, besides their total and their ledger. Retries, files and warnings are
 * those of all.
 *
 * @param context with the log of the file
 * @param stop ends the run
 * @param span its trace
 */
export function observersOfFile(
  context: Context,
  report: string,
  { input, output }: FilePair,
  stop: AbortSignal,
  span: RunObserver,
): RunObserver[] {
  const { log, logFields, lineage } = context;
  return watched(['service', 'retries', 'resultFiles', 'warnings', 'outcome', 'stdout'], {
    runId: logRunId(logFields),
    progress: progressLine(context, { output, name: input }, stop),
    log: runLog(context, { report, input, output, isPart: true }),
    waiting: { waiting: waitingLog(log) },
    rejects: rejectLog(log, input, true),
    data: logData(log, true),
    lineage: { opened: run => lineage?.started(run) },
    telemetry: span,
  });
}

/**
 * What watches the joining of shards, whose rows were watched where they were scored. Its trace follows the record from
 * outside, because it is that of the workers, too.
 */
export const observersOfJoining = (
  { log, logFields, onOutcome }: Pick<Context, 'log' | 'logFields' | 'onOutcome'>,
  job: RunJob,
): RunObserver[] =>
  watched(
    [
      ...(['service', 'waiting', 'progress', 'log', 'rejects', 'retries'] as const),
      ...(['data', 'stdout', 'lineage', 'telemetry'] as const),
    ],
    {
      runId: logRunId(logFields),
      warnings: logRunWarnings(log),
      resultFiles: resultFiles(job),
      outcome: { ended: summary => onOutcome?.(summary) },
    },
  );
