import { usualProtocol } from '../../base/contract/usual-protocol.ts';
import { Interrupted } from '../../base/interrupted.ts';
import { countOf } from '../../base/number-text.ts';
import { lockTotal } from '../../library/lock-total.ts';
import { resultFiles } from '../../library/result-files.ts';
import { reportOf } from '../../library/runs-of.ts';
import { chooseService } from '../../library/service/choose-service.ts';
import { withScorer } from '../../library/service/open-predictor.ts';
import { TotalTally } from '../../runs/drift/total-tally.ts';
import { executeRecorded } from '../../runs/execute-run.ts';
import { ExitCode, exitCodeOfRows } from '../../runs/exit-code.ts';
import { RejectBudget } from '../../runs/guards/reject-budget.ts';
import type { RunObserver } from '../../runs/observer.ts';
import { noteDrift } from '../../runs/observers/drift.ts';
import { makeOutputFolders } from '../../runs/paths/output-folders.ts';
import type { RunControl } from '../../runs/run-control.ts';
import { RunRecord } from '../../runs/run-record.ts';
import { findInputs } from '../../runs/several/input-files.ts';
import { folderOfPattern } from '../../runs/several/output-pattern.ts';
import { type FilePair, pairFiles } from '../../runs/several/pair-files.ts';
import { RunLedger } from '../../runs/several/run-ledger.ts';
import { earlierOf } from '../../runs/summary/earlier-of.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import { watchRequests } from '../../runs/watch.ts';
import type { Context } from '../context.ts';
import { retryLines } from '../open-service.ts';
import { nameReport } from '../service.ts';
import { openProgress, progressMode } from '../terminal/progress.ts';
import { totalCode, totalStatus } from './combine-exit-codes.ts';
import { FilesProgress, sizesOf } from './files-progress.ts';
import { describeFiles } from './files-text.ts';
import { logDrift } from './log-drift.ts';
import { logRunId } from './log-run-id.ts';
import { logUnwritten } from './log-unwritten.ts';
import type { Job } from './read-job.ts';
import { sharedLineage } from './run-lineage.ts';
import { runTelemetry } from './run-telemetry.ts';
import { FileScorer, workOf } from './score-file.ts';
import { untilSignal } from './until-signal.ts';

type Section = Readonly<Record<string, unknown>>;

/**
 * Scores several inputs, each to an output of its own; each is a run that resumes on its own.
 *
 * @param defined the `score` section of a definition; flags override it
 * @returns the exit code
 */
export async function scoreFiles(context: Context, defined: Section, job: Job): Promise<number> {
  const { log, logFields } = context;
  const { exit_code } = await untilSignal(context, control => {
    const sent = runTelemetry(context, 'rowcast.runs', control.signal);
    const lineage = sharedLineage(context, control.signal);
    const observers: RunObserver[] = [
      logRunId(logFields),
      { retried: retryLines(log, job.values.maxOutage) },
      ...resultFiles(job),
      logUnwritten(log),
      lineage,
      sent,
    ];
    const record = new RunRecord({ names: job.names, observers, control });
    const execute = (): Promise<Summary> =>
      scoreAll({ ...context, telemetry: sent.trace, lineage: lineage.lineage }, defined, job, {
        record,
        control,
      });
    return {
      run: record,
      result: () => executeRecorded(record, control, { restart: false, lock: () => lockTotal(job), execute }),
    };
  });
  return exit_code ?? ExitCode.done;
}

async function scoreAll(
  context: Context,
  defined: Section,
  job: Job,
  { record, control }: { record: RunRecord; control: RunControl },
): Promise<Summary> {
  const { commandLine, env, flags, log, logFormat } = context;
  const { values, places } = job;
  const { signal: stop } = control;
  const address = chooseService(context, defined);
  const report = reportOf(values);
  const { pairs, ledger } = await planFiles(job);
  await readLedger(ledger, log);
  const earlier = await earlierOf({ ...values, report });
  const folders = await makeOutputFolders(writtenBy(pairs));
  const { onRetry, trace } = watchRequests(record);
  return withScorer({ values, address, env, onRetry, trace, stop }, async scorer => {
    record.service = scorer.name;
    record.protocol = scorer.protocol ?? usualProtocol;
    log.info(
      { event: 'files_started', files: pairs.length, report },
      `scoring ${countOf(pairs.length, 'file')} with ${nameReport(report, scorer)}`,
    );
    const work = await workOf(values, scorer, stop);
    const budget = new RejectBudget(values.maxRejects);
    const reads = places.reads ?? [];
    const progress = new FilesProgress(scorer.name, await sizesOf(pairs.map(({ input }) => input)));
    const total = new TotalTally();
    const shared = { budget, total, earlier };
    const files = new FileScorer(context, { values, scorer, shared, ledger, work, reads, progress, stop });
    record.figures = () => total.figures();
    record.sample = () => progress.sample();
    record.columnsOf = id => files.columns.of(id);
    record.files = () => ({ accounts: progress.accounts, runs: files.summaries });
    await ledger.begin(pairs).catch(warnOfLedger(log));
    const line = openProgress({ ...progressMode(flags), output: '', isTotal: true, logFormat, log });
    line.show(seconds => progress.report(seconds));
    try {
      const left = pairs.entries();
      const scoreNext = async (): Promise<void> => {
        for (const [index, pair] of left) await files.score(pair, index);
      };
      await Promise.all(Array.from({ length: values.jobs }, scoreNext));
      if (stop.aborted) {
        log.info({ event: 'files_suspended', command: commandLine }, `to resume, run: ${commandLine}`);
        throw new Interrupted(stop);
      }
      budget.checkEnd();
    } finally {
      line.close();
      await ledger.flush().catch(warnOfLedger(log));
    }
    const { skipped, failures } = files;
    const { read, rejected } = progress.accounts;
    // Running a command again does not turn rejected rows into a success.
    const all = { read: read + skipped.read, rejected: rejected + skipped.rejected };
    const code = totalCode(failures, exitCodeOfRows(values, all));
    const status = totalStatus(files.summaries.map(one => one.status));
    const changed = noteDrift(record);
    if (changed !== undefined) logDrift(log, changed, false);
    const summary = await record.end(status, code);
    log[code > ExitCode.someRejected ? 'error' : 'info'](
      { event: 'files_finished', summary },
      describeFiles(summary, skipped.rejected),
    );
    return summary;
  }).finally(folders.undo);
}

/**
 * Finds the inputs and names their outputs.
 *
 * @throws RowcastError `no_such_file`, `same_output`, `output_is_input`, `usage`
 */
export async function planFiles({
  inputs,
  values: { output, rejects, summary, summaryHtml, metrics, lineage },
}: Job): Promise<{ pairs: FilePair[]; ledger: RunLedger }> {
  const ledger = new RunLedger(folderOfPattern(output));
  const others = {
    'the summary': summary,
    'the HTML summary': summaryHtml,
    'the metrics': metrics,
    'the lineage': lineage,
    'the record of finished runs': ledger.path,
  };
  return { pairs: await pairFiles(await findInputs(inputs), { output, rejects, others }), ledger };
}

/** Reads what was finished before; if that cannot be read, everything is scored. */
export async function readLedger(ledger: RunLedger, log: Context['log']): Promise<void> {
  await ledger
    .read()
    .catch(error =>
      log.warn({ event: 'ledger_unreadable' }, `${ledger.path}: ${error.message}; all files are scored`),
    );
}

/** Without the record, the next command scores the files again, so this run goes on. */
const warnOfLedger =
  (log: Context['log']) =>
  ({ message }: Error): void =>
    log.warn({ event: 'ledger_not_written' }, `cannot record the runs: ${message}`);

/** The outputs and rejects files of all inputs, for `makeOutputFolders`. */
export const writtenBy = (pairs: readonly FilePair[]): ReadonlyMap<string, string> =>
  new Map(pairs.flatMap(({ output, rejects = output }) => [output, rejects].map(path => [path, path])));
