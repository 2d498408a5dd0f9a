import { Interrupted } from '../../base/interrupted.ts';
import { countOf } from '../../base/number-text.ts';
import { ExitCode } from '../../library/run/exit-code.ts';
import { noteDrift } from '../../library/run/note-drift.ts';
import type { RunRecord } from '../../library/run/run-record.ts';
import { codeOf, reportOf } from '../../library/run/score-recorded.ts';
import type { Address } from '../../library/service/choose-service.ts';
import { withScorer } from '../../library/service/with-scorer.ts';
import { TotalCounts } from '../../runs/drift/total-counts.ts';
import { RejectBudget } from '../../runs/guards/reject-budget.ts';
import { makeOutputFolders } from '../../runs/paths/output-folders.ts';
import { earlierOf } from '../../runs/score.ts';
import { findInputs } from '../../runs/several/input-files.ts';
import { folderOfPattern } from '../../runs/several/output-pattern.ts';
import { type FilePair, pairFiles } from '../../runs/several/pair-files.ts';
import { RunLedger } from '../../runs/several/run-ledger.ts';
import { reportedRequests } from '../connect.ts';
import type { Context } from '../context.ts';
import { nameReport } from '../service.ts';
import { openProgress, progressMode } from '../terminal/progress.ts';
import { FilesProgress, sizesOf } from './files-progress.ts';
import { describeFiles } from './files-text.ts';
import { logDrift } from './log-drift.ts';
import type { Job } from './read-job.ts';
import { FileScorer, workOf } from './score-file.ts';
import { totalCode, totalStatus } from './total.ts';

export interface FilesOptions {
  job: Job;
  address: Address;
  /** Of all files together. */
  record: RunRecord;
  /** Aborted by the first signal. */
  stop: AbortSignal;
}

/**
 * Scores several inputs, each to an output of its own; each is a run that resumes on its own.
 *
 * @returns the exit code
 */
export async function scoreFiles(context: Context, options: FilesOptions): Promise<number> {
  const { commandLine, env, flags, log, logFormat } = context;
  const { job, record, stop, address } = options;
  const { values, places } = job;
  const report = reportOf(values);
  const { pairs, ledger } = await planFiles(job);
  await readLedger(ledger, log);
  const earlier = await earlierOf({ ...values, report });
  const folders = await makeOutputFolders(writtenBy(pairs));
  return withScorer({ values, address, env, ...reportedRequests(context, values), stop }, async scorer => {
    log.info(
      { event: 'files_started', files: pairs.length, report },
      `scoring ${countOf(pairs.length, 'file')} with ${nameReport(report, scorer)}`,
    );
    const work = await workOf(values, scorer, stop);
    const budget = new RejectBudget(values.maxRejects);
    const reads = places.reads ?? [];
    const progress = new FilesProgress(scorer.name, await sizesOf(pairs.map(({ input }) => input)));
    const total = new TotalCounts();
    const shared = { budget, total, earlier };
    const files = new FileScorer(context, { values, scorer, shared, ledger, work, reads, progress, stop });
    record.service = scorer.name;
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
    const code = totalCode(failures, codeOf(values, all));
    const status = totalStatus(files.summaries.map(one => one.status));
    const drift = noteDrift(record);
    if (drift !== undefined) logDrift(log, drift, false);
    const summary = await record.end(status, code, stop);
    log[code > ExitCode.someRejected ? 'error' : 'info'](
      { event: 'files_finished', summary },
      describeFiles(summary, skipped.rejected),
    );
    return code;
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
