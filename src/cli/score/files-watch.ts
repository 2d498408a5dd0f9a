import { counted, countOf } from '../../base/number-text.ts';
import type { FilesWatch, FileWatch } from '../../library/several/group.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { runSpan } from '../../runs/observers/telemetry/run-observers.ts';
import type { RunsTotal } from '../../runs/observers/total.ts';
import type { RunJob } from '../../runs/run.ts';
import type { FilePair } from '../../runs/several/pair-files.ts';
import { LOCAL } from '../../scoring/scorer.ts';
import type { Context } from '../context.ts';
import { logFileFailure } from '../report-failure.ts';
import { describeFiles } from '../terminal/files-text.ts';
import { type LogFields, logOfFile } from '../terminal/log.ts';
import {
  openProgress,
  type ProgressDisplay,
  type ProgressReport,
  progressText,
} from '../terminal/progress.ts';
import { logDrift, nameReport } from './log-run.ts';
import { observersOfFile, observersOfFiles } from './observers.ts';
import type { SignalledRun } from './until-signal.ts';

/** Everything that watches the files of a command. */
export function filesWatch(context: Context, job: RunJob, { control, onService }: SignalledRun): FilesWatch {
  const { commandLine, log, logFormat } = context;
  const { report = '' } = job.values;
  const { observers, telemetry, lineage } = observersOfFiles(context, job, control.signal);
  let service: string | null = null;
  let line: ProgressDisplay | undefined;
  return {
    observers,
    ofFile(file, stop) {
      const of = { ...context, telemetry: telemetry.trace, lineage: lineage.lineage };
      return fileWatch(of, report, file, stop);
    },
    ledgerUnreadable: (path, { message }) =>
      log.warn({ event: 'ledger_unreadable' }, `${path}: ${message}; all files are scored`),
    ledgerNotWritten: ({ message }) =>
      log.warn({ event: 'ledger_not_written' }, `cannot record the runs: ${message}`),
    opened(files, scorer) {
      service = scorer.name;
      onService(service);
      log.info(
        { event: 'files_started', files, report },
        `scoring ${countOf(files, 'file')} with ${nameReport(report, scorer)}`,
      );
    },
    started(total) {
      line = openProgress(context, { isTotal: true });
      line.show(seconds => filesProgress(total, service, seconds));
    },
    scored: () => line?.close(),
    drifted: changed => logDrift(log, changed, false),
    suspended: () =>
      log.info({ event: 'files_suspended', command: commandLine }, `to resume, run: ${commandLine}`),
    finished(summary, rejectedBefore) {
      const isFailed = (summary.exit_code ?? 0) > ExitCode.someRejected;
      log[isFailed ? 'error' : 'info'](
        // As text it shows nothing of the summary, and that of many files is large.
        { event: 'files_finished', ...(logFormat === 'json' && { summary }) },
        describeFiles(summary, rejectedBefore),
      );
    },
  };
}

function fileWatch(context: Context, report: string, file: FilePair, stop: AbortSignal): FileWatch {
  const { input } = file;
  const logFields: LogFields = { input };
  const log = logOfFile(context.log, input, logFields);
  const own = { ...context, log, logFields, commandLine: '' };
  const span = runSpan(context.telemetry);
  return {
    observers: observersOfFile(own, report, file, stop, span),
    begin: run => span.start(run),
    failed: error => logFileFailure(own, error, input),
    end(run) {
      span.end();
      context.lineage?.ended(run);
    },
  };
}

/**
 * The line of totals of several files.
 *
 * @param seconds since the first file
 */
export function filesProgress(total: RunsTotal, service: string | null, seconds: number): ProgressReport {
  const { rowCounts, bytes, before } = total.stage;
  const { size, files } = total;
  const fractionOf = (part: number): number | undefined => (size === 0 ? undefined : part / size);
  const { inFlight } = total.sample();
  const { cells, fields } = progressText(
    { rowCounts, fraction: fractionOf(bytes), before: { ...before, fraction: fractionOf(before.bytes) } },
    seconds,
    service === LOCAL ? undefined : { inFlight },
  );
  const failed = files.failed === 0 ? '' : `${counted(files.failed)} failed`;
  return {
    name: `${counted(files.ended)}/${countOf(files.total, 'file')}`,
    cells: [...cells, failed],
    fields: { files, ...fields },
  };
}
