import { setMaxListeners } from 'node:events';
import { RowcastError } from '../../base/errors.ts';
import { Interrupted, unlessStopped } from '../../base/interrupted.ts';
import { countOf } from '../../base/number-text.ts';
import type { EarlierFigures } from '../../runs/drift/compare.ts';
import { TotalTally } from '../../runs/drift/data-tally.ts';
import { executeRun } from '../../runs/execute-run.ts';
import { exitCodeOf, exitCodeOfRows, runErrorOf } from '../../runs/exit-code.ts';
import { checkLeastRows, leastRows } from '../../runs/guards/min-rows.ts';
import { RejectBudget } from '../../runs/guards/reject-budget.ts';
import { HeldRun } from '../../runs/held-run.ts';
import { inputWait } from '../../runs/input-wait.ts';
import { noteDrift } from '../../runs/observers/drift.ts';
import { ledgerEntry } from '../../runs/observers/ledger.ts';
import { SharedColumns } from '../../runs/observers/lineage/lineage-settings.ts';
import { RunsTotal } from '../../runs/observers/total.ts';
import { writtenFile } from '../../runs/output/written-file.ts';
import { makeOutputFolders } from '../../runs/paths/lock-paths.ts';
import type { Run, RunJob } from '../../runs/run.ts';
import { RunControl } from '../../runs/run-control.ts';
import { RunRecord } from '../../runs/run-record.ts';
import type { FilePair } from '../../runs/several/pair-files.ts';
import type { RunLedger } from '../../runs/several/run-ledger.ts';
import { lastRunOfFile, type ReadAgain, unchangedRun } from '../../runs/several/unchanged-run.ts';
import { earlierOf } from '../../runs/summary/earlier-of.ts';
import { isScoredSince } from '../../runs/summary/good-run.ts';
import type { LastRun, RunNote, RunWarning, Summary } from '../../runs/summary/summary.ts';
import type { SharedScorer } from '../../scoring/scorer.ts';
import { memoryOf } from '../run-memory.ts';
import { reportOf, runOfFile } from '../runs-of.ts';
import { codeOfFile, combineExitCodes, concernsAll, totalStatus } from './combine-exit-codes.ts';
import type { FileGroup, FilesWatch } from './group.ts';
import { fixedFolders, ledgerOf, lockTotal, planFiles, sizesOf, writtenBy } from './plan-files.ts';
import { outputWorkOf } from './work-of.ts';

/**
 * Executes a run for each of several inputs, which resumes on its own. Together they have a summary, a budget of
 * rejects and the ledger of their folder.
 *
 * @throws as `executeRun`; a file that fails is no reason to stop the others, unless they would fail in the same way
 */
export async function executeFiles(group: FileGroup): Promise<Summary> {
  const { job, control, watch } = group;
  const { names } = job;
  const ledger = ledgerOf(job);
  /** Known if all files are done, and what they are together is refused. */
  let rejectedBefore: number | undefined;
  const onRefused = (rows: number): void => {
    rejectedBefore = rows;
  };
  const memory = memoryOf(job, ledger);
  const record = new RunRecord({ names, observers: watch.observers, control, memory });
  const held = new HeldRun(record, control);
  try {
    const files = await held.lock(lockTotal(job));
    await record.begin(files, false);
    return await record.within(() => openFiles(group, record, ledger, onRefused));
  } catch (error) {
    const failure = await held.failed(error);
    const { result } = record;
    if (rejectedBefore !== undefined && result !== undefined) watch.finished(result, rejectedBefore);
    throw failure;
  } finally {
    await held.release();
  }
}

/** Finds the files, and opens what predicts for all of them. */
async function openFiles(
  group: FileGroup,
  record: RunRecord,
  ledger: RunLedger,
  onRefused: OpenFiles['onRefused'],
): Promise<Summary> {
  const { job, watch } = group;
  const { signal: stop } = group.control;
  const report = reportOf(job.values);
  const { inputs, values, backends } = job;
  const begun = performance.now();
  const onWaiting = record.waiting.bind(record);
  await inputWait({ ...values, inputs, backends, stop, onWaiting })?.arrived();
  const { pairs } = await planFiles(job, stop, undefined, ledger);
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
      return await scoreFiles(group, record, { pairs, ledger, earlier, scorer, begun, onRefused });
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
  /**
   * The total is about to be refused.
   *
   * @param rejectedBefore rows that were rejected when the files that are unchanged now were scored
   */
  onRefused: (rejectedBefore: number) => void;
}

async function scoreFiles(
  { job, control, watch }: FileGroup,
  record: RunRecord,
  { pairs, ledger, earlier, scorer, begun, onRefused }: OpenFiles,
): Promise<Summary> {
  const { values } = job;
  const { signal: stop } = control;
  // The requests are counted in the runs of the files.
  record.ready({ name: scorer.name, protocol: scorer.protocol });
  watch.opened(pairs.length, scorer);
  const work = await outputWorkOf(values, scorer, stop);
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
  let refusal: RowcastError | undefined;
  let isWhole = false;
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
    budget.setOthers(files.before);
    refusal = refusalOf(() => {
      budget.checkEnd();
      if (files.failures.length === 0) checkLeastRows(least, total.rowCounts.read + files.skipped.read);
    });
    if (refusal !== undefined || files.failures.length === 0) ledger.judge(values.output, refusal);
    isWhole = refusal === undefined && files.failures.length === 0;
  } finally {
    watch.scored();
    // A good run is written with it, at once.
    if (!isWhole) await ledger.flush().catch(watch.ledgerNotWritten);
  }
  const { skipped, failures, same, again, withoutRows } = files;
  const { read, rejected } = total.rowCounts;
  // Running a command again does not turn rejected rows into a success.
  const all = { read: read + skipped.read, rejected: rejected + skipped.rejected };
  const codes = failures.map(failure => failure.code);
  const code = combineExitCodes(codes, exitCodeOfRows(values, all));
  const decisive = failures.find(failure => failure.code === code);
  if (same.length > 0) record.note(sameFiles(same, values.ifSameAsLast));
  if (again.length > 0) record.note(filesAgain(again));
  if (withoutRows.length > 0) record.warn(filesWithoutRows(withoutRows));
  if (refusal !== undefined) {
    onRefused(skipped.rejected);
    throw refusal;
  }
  if (files.isPart && earlier !== undefined)
    record.note({
      code: 'no_comparison',
      message: 'all files together are not compared: an earlier attempt has scored some of them',
    });
  const changed = noteDrift(record);
  if (changed !== undefined) watch.drifted(changed);
  const status = totalStatus(Array.from(total.summaries, ({ status }) => status));
  const summary = await record.end(status, code, decisive && runErrorOf(decisive.error));
  await ledger.flush().catch(watch.ledgerNotWritten);
  watch.finished(summary, skipped.rejected);
  return summary;
}

/** Why all files together are refused; undefined if they are not. */
function refusalOf(check: () => void): RowcastError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof RowcastError) return error;
    throw error;
  }
}

function sameFiles(files: readonly string[], action: string): RunNote {
  const [has, is] = files.length === 1 ? ['has', 'it is'] : ['have', 'they are'];
  const skipped = action === 'skip' ? `; ${is} skipped` : '';
  return {
    code: 'same_as_last',
    message: `${someOf(files)} ${has} the same bytes as files of the last good run${skipped}`,
  };
}

function filesAgain(files: readonly string[]): RunNote {
  const [was, it] = files.length === 1 ? ['was', 'it is'] : ['were', 'they are'];
  return {
    code: 'same_as_last',
    message: `${someOf(files)} ${was} delivered again with the same bytes; ${it} skipped`,
  };
}

const filesWithoutRows = (files: readonly string[]): RunWarning => ({
  code: 'no_rows',
  message: `${someOf(files)} ${files.length === 1 ? 'has' : 'have'} no rows`,
});

function someOf(files: readonly string[]): string {
  // Several are scored at a time.
  const [first = ''] = files.toSorted();
  return files.length === 1 ? first : `${first} and ${countOf(files.length - 1, 'other file')}`;
}

export interface FileScorerOptions {
  job: RunJob;
  scorer: SharedScorer;
  /** What the runs have in common. */
  shared: NonNullable<Run['shared']>;
  /** The last good run of all of them, if one is known. */
  last: LastRun | undefined;
  /** When waiting for the inputs began, by `performance.now()`. */
  begun: number;
  ledger: RunLedger;
  /** What affects the outputs of all files, from `workOf`. */
  work: Readonly<Record<string, string>>;
  total: RunsTotal;
  watch: FilesWatch;
  /** Aborted by the first signal. */
  stop: AbortSignal;
}

/** Scores files of one group, several at a time. A failure is reported and does not stop the others. */
export class FileScorer {
  /** Why files were not scored, and the exit code for that. */
  readonly failures: { code: number; error: unknown }[] = [];
  /** The columns of the runs that have ended, if their lineage is written. */
  readonly columns = new SharedColumns();
  /** Rows of the runs that finished files which were skipped because they have not changed. */
  readonly skipped = { read: 0, rejected: 0 };
  /** Those of the skipped rows that earlier attempts of the same night have scored, after the last good run. */
  readonly before = { read: 0, rejected: 0 };
  /** Whether an attempt after the last good run has finished some of them. */
  isPart = false;
  /** Inputs with the bytes of one of the last good run. */
  readonly same: string[] = [];
  /** Inputs that were delivered again with the bytes that they had when they were scored, and are skipped. */
  readonly again: string[] = [];
  /** Inputs that have a header only. */
  readonly withoutRows: string[] = [];
  readonly #options: FileScorerOptions;
  /** Aborted when the other files are not to be scored either. */
  readonly #failed = new AbortController();
  readonly #stop: AbortSignal;

  constructor(options: FileScorerOptions) {
    this.#options = options;
    this.#stop = AbortSignal.any([options.stop, this.#failed.signal]);
    // Each of the files that are scored at the same time listens to it.
    setMaxListeners(0, this.#stop);
  }

  /** @param index of the file, for the order of the summaries */
  async score(file: FilePair, index: number): Promise<void> {
    const { job, scorer, shared, begun, ledger, work, total, watch } = this.#options;
    const key = { ...file, options: work };
    const fileWatch = watch.ofFile(file, this.#stop);
    // A file that was scored before is scored again because something else has changed.
    const isUntouched = job.values.ifExists === 'skip-unchanged' && (await ledger.isUntouched(file));
    const run = runOfFile(job, file, {
      openScorer: async () => scorer.forRun(job.values.report),
      observers: [
        total.of(index),
        ledgerEntry(ledger, key, watch.ledgerNotWritten, this.#stop),
        ...fileWatch.observers,
      ],
      control: new RunControl(this.#stop),
      wait: { begun, hasArrived: true },
      shared: isUntouched ? { ...shared, last: null } : shared,
    });
    const last = ledger.finished(file.output);
    const record = new RunRecord(run);
    if (last !== undefined) record.last = lastRunOfFile(last, record.names);
    let isAgain = false;
    try {
      if (this.#stop.aborted) throw new Interrupted(this.#stop);
      const unchanged =
        job.values.ifExists === 'skip-unchanged'
          ? await unlessStopped(unchangedRun(ledger, key, this.#readAgain()), this.#stop)
          : undefined;
      if (unchanged === undefined) {
        fileWatch.begin(record);
        await executeRun(run, record).finally(() => fileWatch.end(record));
        return;
      }
      const { run: earlier } = unchanged;
      isAgain = unchanged.isAgain;
      if (isAgain) {
        record.note({
          code: 'same_as_last',
          message: `${file.input} was delivered again with the bytes that it had when it was scored; it is skipped`,
        });
        this.again.push(file.input);
      }
      this.skipped.read += earlier.rows.read;
      this.skipped.rejected += earlier.rows.rejected;
      if (isScoredSince(earlier, this.#options.last)) {
        this.before.read += earlier.rows.read;
        this.before.rejected += earlier.rows.rejected;
        this.isPart ||= earlier.rows.read > 0;
      }
      await record.end('skipped', exitCodeOfRows(job.values, earlier.rows));
    } catch (error) {
      if (record.result === undefined) await record.fail(error);
      if (error instanceof Interrupted) return;
      this.failures.push({ code: codeOfFile(exitCodeOf(error)), error });
      fileWatch.failed(error);
      if (job.values.failFast || concernsAll(error)) this.#failed.abort(`the failure of ${file.input}`);
    } finally {
      run.control.end();
      const warned = new Set(record.result?.warnings.map(({ code }) => code));
      if (warned.has('same_as_last') && !isAgain) this.same.push(file.input);
      if (warned.has('no_rows')) this.withoutRows.push(file.input);
      this.#keepColumns(record);
      total.end(index);
    }
  }

  #readAgain(): ReadAgain {
    const { job, last } = this.#options;
    const { encoding, ifSameAsLast } = job.values;
    const refused = ifSameAsLast === 'fail' ? last?.digests : undefined;
    return { encoding, backends: job.backends, stop: this.#stop, refused };
  }

  #keepColumns({ attempt: { runId }, predictionType, columnsOf }: RunRecord): void {
    const columns = this.#options.job.values.lineage === undefined ? undefined : columnsOf(runId);
    if (columns !== undefined) this.columns.add(runId, columns, predictionType ?? null);
  }
}
