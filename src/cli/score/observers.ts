import { isRejectsFile } from '../../formats/records/reject.ts';
import { resultFiles } from '../../library/result-files.ts';
import { chooseService } from '../../library/service/choose-service.ts';
import type { RunObserver } from '../../runs/observer.ts';
import { drift } from '../../runs/observers/drift.ts';
import type { TelemetryObserver } from '../../runs/observers/telemetry/run-observers.ts';
import { unknownValues } from '../../runs/observers/unknown-values.ts';
import { runFilesOf } from '../../runs/paths/run-files.ts';
import type { RunJob } from '../../runs/run.ts';
import type { FilePair } from '../../runs/several/pair-files.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import { checkStdout } from '../closed-stdout.ts';
import type { Context } from '../context.ts';
import { describeRejects } from '../repair-commands.ts';
import { retryLines } from '../retry-lines.ts';
import { progressMode } from '../terminal/progress.ts';
import { logDrift } from './log-drift.ts';
import { logRunId } from './log-run-id.ts';
import { logRunWarnings } from './log-run-warnings.ts';
import { progressLine } from './progress-line.ts';
import { nameOf } from './read-job.ts';
import { rejectLog } from './reject-log.ts';
import { type Lineage, lineageEvents, sharedLineage } from './run-lineage.ts';
import { runLog } from './run-log.ts';
import { runTelemetry } from './run-telemetry.ts';
import type { SignalledRun } from './until-signal.ts';
import { waitingLog } from './waiting-log.ts';

type Section = Readonly<Record<string, unknown>>;

/**
 * Everything that watches the run of a command with a single input.
 *
 * @param onService called with the name of who predicts
 */
export function observersOf(
  context: Context,
  defined: Section,
  job: RunJob,
  { control, onService }: SignalledRun,
): RunObserver[] {
  const { env, flags, log, logFormat } = context;
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
      address: chooseService(context, defined),
      rejects: path,
      env,
      prediction,
    });
  context.logFields.input = nameOf(job);
  return [
    logRunId(context.logFields),
    {
      ready: (_, scorer) => onService(scorer.name),
      opened({ columnsOf, attempt }) {
        const columns = columnsOf(attempt.runId);
        isAgain = isRejectsFile(columns?.input.map(({ name }) => name) ?? []);
        format = columns?.format;
      },
    },
    { waiting: waitingLog(log) },
    progressLine({ ...progressMode(flags), output, logFormat, log }, control.signal),
    runLog(context, {
      report,
      input,
      output,
      isPart: false,
      rejects: path === undefined ? undefined : { path, describe: summary => describe(path, summary) },
    }),
    rejectLog(log, input === '-' ? 'stdin' : input, path !== undefined),
    { retried: retryLines(log, maxOutage) },
    unknownValues(line => log.warn({ event: 'unknown_values' }, line)),
    drift(line => logDrift(log, line, false)),
    ...resultFiles(job),
    logRunWarnings(log),
    { ended: summary => context.onOutcome?.(summary) },
    { begin: (_, files) => checkStdout([files.output, files.rejects, files.summary]) },
    lineageEvents(context, control.signal),
    runTelemetry(context, 'rowcast.run', control.signal),
  ];
}

/** What watches several files of a command as if they were one run, and what their runs have in common. */
export interface FilesObservers {
  observers: RunObserver[];
  telemetry: TelemetryObserver;
  lineage: RunObserver & { readonly lineage: Lineage | undefined };
}

export function observersOfFiles(context: Context, job: RunJob, stop: AbortSignal): FilesObservers {
  const { log, logFields } = context;
  const telemetry = runTelemetry(context, 'rowcast.runs', stop);
  const lineage = sharedLineage(context, stop);
  const observers: RunObserver[] = [
    logRunId(logFields),
    { waiting: waitingLog(log), retried: retryLines(log, job.values.maxOutage) },
    ...resultFiles(job),
    logRunWarnings(log),
    { ended: summary => context.onOutcome?.(summary) },
    lineage,
    telemetry,
  ];
  return { observers, telemetry, lineage };
}

/**
 * What watches the run of one of several files, besides their total and their ledger.
 *
 * @param context with the log of the file
 * @param stop ends the run
 */
export function observersOfFile(
  context: Context,
  report: string,
  { input, output }: FilePair,
  stop: AbortSignal,
): RunObserver[] {
  const { flags, log, logFields, logFormat, lineage } = context;
  return [
    logRunId(logFields),
    progressLine({ ...progressMode(flags), output, name: input, logFormat, log }, stop),
    runLog(context, { report, input, output, isPart: true }),
    { waiting: waitingLog(log) },
    rejectLog(log, input, true),
    unknownValues(line => log.warn({ event: 'unknown_values' }, line)),
    drift(line => logDrift(log, line, true)),
    { opened: run => lineage?.started(run) },
  ];
}
