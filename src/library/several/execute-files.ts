import { Interrupted, unlessStopped } from '../../base/interrupted.ts';
import { countOf } from '../../base/number-text.ts';
import type { EarlierFigures } from '../../runs/drift/earlier-figures.ts';
import { TotalTally } from '../../runs/drift/total-tally.ts';
import { exitCodeOfRows } from '../../runs/exit-code.ts';
import { checkLeastRows, leastRows } from '../../runs/guards/min-rows.ts';
import { RejectBudget } from '../../runs/guards/reject-budget.ts';
import { HeldRun } from '../../runs/held-run.ts';
import { inputWait } from '../../runs/input-wait.ts';
import { noteDrift } from '../../runs/observers/drift.ts';
import { RunsTotal } from '../../runs/observers/total.ts';
import { writtenFile } from '../../runs/output/written-file.ts';
import { makeOutputFolders } from '../../runs/paths/output-folders.ts';
import { runErrorOf } from '../../runs/run-error.ts';
import { RunRecord } from '../../runs/run-record.ts';
import type { FilePair } from '../../runs/several/pair-files.ts';
import type { RunLedger } from '../../runs/several/run-ledger.ts';
import { earlierOf } from '../../runs/summary/earlier-of.ts';
import type { RunNote, Summary } from '../../runs/summary/summary.ts';
import type { SharedScorer } from '../../scoring/scorer.ts';
import { memoryOf } from '../run-memory.ts';
import { reportOf } from '../runs-of.ts';
import { combineExitCodes, totalStatus } from './combine-exit-codes.ts';
import { FileScorer } from './file-scorer.ts';
import type { FileGroup } from './group.ts';
import { lockTotal } from './lock-total.ts';
import { fixedFolders, planFiles, sizesOf, writtenBy } from './plan-files.ts';
import { workOf } from './work-of.ts';

/**
 * Executes a run for each of several inputs, which resumes on its own. Together they have a summary, a budget of rejects
 * and the ledger of their folder.
 *
 * @throws as `executeRun`; a file that fails is no reason to stop the others, unless they would fail in the same way
 */
export async function executeFiles(group: FileGroup): Promise<Summary> {
  const { job, control, watch } = group;
  const { names } = job;
  const record = new RunRecord({ names, observers: watch.observers, control, memory: memoryOf(job) });
  const held = new HeldRun(record, control);
  try {
    const files = await held.lock(lockTotal(job));
    await record.begin(files, false);
    return await record.within(() => openFiles(group, record));
  } catch (error) {
    throw await held.failed(error);
  } finally {
    await held.release();
  }
}

/** Finds the files, and opens what predicts for all of them. */
async function openFiles(group: FileGroup, record: RunRecord): Promise<Summary> {
  const { job, watch } = group;
  const { signal: stop } = group.control;
  const report = reportOf(job.values);
  const { inputs, values, backends } = job;
  const begun = performance.now();
  const onWaiting = record.waiting.bind(record);
  await inputWait({ ...values, inputs, backends, stop, onWaiting })?.arrived();
  const { pairs, ledger } = await planFiles(job, stop);
  // A name that promises too much is refused once, before the start.
  for (const { output, rejects } of pairs) writtenFile({ ...values, output, rejects });
  const reading = ledger.read().catch(error => watch.ledgerUnreadable(ledger.path, error));
  await unlessStopped(reading, stop);
  const { last } = record;
  const note = (warning: RunNote): void => record.note(warning);
  const found = { ...values, report, last, backends: job.backends, note };
  const earlier = await unlessStopped(earlierOf(found), stop);
  const folders = await makeOutputFolders(writtenBy(pairs), fixedFolders(values));
  try {
    const { scorer, close } = await group.openScorer(record.requests);
    try {
      return await scoreFiles(group, record, { pairs, ledger, earlier, scorer, begun });
    } finally {
      await close();
    }
  } finally {
    await folders.undo();
  }
}

interface OpenFiles {
  pairs: readonly FilePair[];
  ledger: RunLedger;
  earlier: EarlierFigures | undefined;
  scorer: SharedScorer;
  /** When waiting for the inputs began, by `performance.now()`. */
  begun: number;
}

async function scoreFiles(
  { job, control, watch }: FileGroup,
  record: RunRecord,
  { pairs, ledger, earlier, scorer, begun }: OpenFiles,
): Promise<Summary> {
  const { values } = job;
  const { signal: stop } = control;
  // The requests are counted in the runs of the files.
  record.ready({ name: scorer.name, protocol: scorer.protocol });
  watch.opened(pairs.length, scorer);
  const work = await workOf(values, scorer, stop);
  const total = new RunsTotal(
    await sizesOf(
      pairs.map(({ input }) => input),
      job.backends,
      stop,
    ),
  );
  const budget = new RejectBudget(values.maxRejects, 'of all files ');
  const tally = new TotalTally();
  const least = leastRows(values.minRows, record.last, warning => record.note(warning));
  // What is judged at the end of a run is judged before its output appears, which is too early if others follow.
  const judged = pairs.length === 1 ? { least } : { budget };
  const shared = { ...judged, total: tally, earlier, last: record.last ?? null };
  const files = new FileScorer({
    job,
    scorer,
    shared,
    last: record.last,
    begun,
    ledger,
    work,
    total,
    watch,
    stop,
  });
  record.figures = () => {
    const figures = tally.figures();
    return figures && files.isPart ? { ...figures, drift: null } : figures;
  };
  record.sample = () => total.sample();
  record.columnsOf = id => files.columns.of(id);
  record.files = () => ({ rowCounts: total.rowCounts, runs: total.summaries });
  await ledger.begin(pairs).catch(watch.ledgerNotWritten);
  watch.started(total);
  try {
    const left = pairs.entries();
    const scoreNext = async (): Promise<void> => {
      for (const [index, pair] of left) await files.score(pair, index);
    };
    await Promise.all(Array.from({ length: values.jobs }, scoreNext));
    if (stop.aborted) {
      watch.suspended();
      throw new Interrupted(stop);
    }
    budget.checkEnd();
  } finally {
    watch.scored();
    await ledger.flush().catch(watch.ledgerNotWritten);
  }
  const { skipped, failures, same } = files;
  const { read, rejected } = total.rowCounts;
  // Running a command again does not turn rejected rows into a success.
  const all = { read: read + skipped.read, rejected: rejected + skipped.rejected };
  const codes = failures.map(failure => failure.code);
  const code = combineExitCodes(codes, exitCodeOfRows(values, all));
  const decisive = failures.find(failure => failure.code === code);
  if (same.length > 0) record.note(sameFiles(same, values.ifSameAsLast));
  if (failures.length === 0) checkLeastRows(least, all.read);
  if (files.isPart && earlier !== undefined)
    record.note({
      code: 'no_comparison',
      message: 'all files together are not compared: an earlier attempt has scored some of them',
    });
  const changed = noteDrift(record);
  if (changed !== undefined) watch.drifted(changed);
  const status = totalStatus(Array.from(total.summaries, ({ status }) => status));
  const summary = await record.end(status, code, decisive && runErrorOf(decisive.error));
  watch.finished(summary, skipped.rejected);
  return summary;
}

function sameFiles(files: readonly string[], action: string): RunNote {
  const [first = ''] = files;
  const others = files.length === 1 ? '' : ` and ${countOf(files.length - 1, 'other file')}`;
  const [has, is] = files.length === 1 ? ['has', 'it is'] : ['have', 'they are'];
  const skipped = action === 'skip' ? `; ${is} skipped` : '';
  return {
    code: 'same_as_last',
    message: `${first}${others} ${has} the same bytes as files of the last good run${skipped}`,
  };
}
