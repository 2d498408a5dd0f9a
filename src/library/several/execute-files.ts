import { setMaxListeners } from 'node:events';
import { RowcastError } from '../../base/errors.ts';
import { Interrupted, unlessStopped } from '../../base/interrupted.ts';
import { countOf } from '../../base/number-text.ts';
import type { EarlierFigures } from '../../runs/drift/compare.ts';
import { TotalTally } from '../../runs/drift/data-tally.ts';
import { executeRun } from '../../runs/execute-run.ts';
import { exitCodeOf, exitCodeOfRows, runErrorOf } from '../../runs/exit-code.ts';
import { checkLeastRows, leastRows, rejectBudget } from '../../runs/guards/reject-budget.ts';
import { type HeldRun, holdRun } from '../../runs/held-run.ts';
import { inputWait, type Waiting } from '../../runs/input-wait.ts';
import { noteDrift } from '../../runs/observers/drift.ts';
import { ledgerEntry } from '../../runs/observers/ledger.ts';
import { SharedColumns } from '../../runs/observers/lineage/lineage-settings.ts';
import { RunsTotal } from '../../runs/observers/total.ts';
import { writtenFile } from '../../runs/output/written-file.ts';
import { makeOutputFolders } from '../../runs/paths/lock-paths.ts';
import type { Run } from '../../runs/run.ts';
import { RunControl } from '../../runs/run-control.ts';
import { RunTracker } from '../../runs/run-tracker.ts';
import type { FilePair } from '../../runs/several/pair-files.ts';
import type { RunLedger } from '../../runs/several/run-ledger.ts';
import { lastRunOfFile, unchangedRun } from '../../runs/several/unchanged-run.ts';
import { earlierOf } from '../../runs/summary/earlier-of.ts';
import { isScoredSince } from '../../runs/summary/good-run.ts';
import type { RunNote, RunWarning, Summary } from '../../runs/summary/summary.ts';
import type { SharedScorer } from '../../scoring/scorer.ts';
import { memoryOf } from '../run-memory.ts';
import { reportOf, runOfFile } from '../runs-of.ts';
import { codeOfFile, combineExitCodes, concernsAll, totalStatus } from './combine-exit-codes.ts';
import type { FileGroup } from './group.ts';
import {
  fixedFolders,
  ledgerOf,
  lockTotal,
  outputWorkOf,
  planFiles,
  sizesOf,
  writtenBy,
} from './plan-files.ts';

/**
 * Executes a run for each of several inputs, which resumes on its own. Together they have a summary, a budget of
 * rejects and the ledger of their folder.
 *
 * @throws as `executeRun`; a file that fails is no reason to stop the others, unless they would fail in the same way
 */
export async function executeFiles(group: FileGroup): Promise<Summary> {
  const { job, control, watch } = group;
  const ledger = ledgerOf(job);
  const memory = memoryOf(job, ledger);
  const tracker = new RunTracker({ names: job.names, observers: watch.observers, control, memory });
  const held = holdRun(tracker, control);
  const files = new FilesRun(group, tracker, ledger);
  try {
    await tracker.begin(await held.lock(lockTotal(job)), false);
    return await tracker.within(() => files.execute(held));
  } catch (error) {
    const failure = await held.failed(error);
    const { result } = tracker;
    if (files.isRefused && result !== undefined) watch.finished(result, files.skipped.rejected);
    throw failure;
  } finally {
    await held.release();
  }
}

/** The runs of the files of a group, several at a time. */
class FilesRun {
  /** Whether all files are done, and what they are together is refused. */
  isRefused = false;
  /** Rows of the runs that finished files which were skipped because they have not changed. */
  readonly skipped = { read: 0, rejected: 0 };
  /** Those of the skipped rows that earlier attempts of the same night have scored, after the last good run. */
  readonly #before = { read: 0, rejected: 0 };
  /** Whether an attempt after the last good run has finished some of them. */
  #isPart = false;
  /** Why files were not scored, and the exit code for that. */
  readonly #failures: { code: number; error: unknown }[] = [];
  /** The columns of the runs that have ended, if their lineage is written. */
  readonly #columns = new SharedColumns();
  /** Inputs with the bytes of one of the last good run. */
  readonly #same: string[] = [];
  /** Inputs that were delivered again with the bytes that they had when they were scored, and are skipped. */
  readonly #again: string[] = [];
  /** Inputs that have a header only. */
  readonly #withoutRows: string[] = [];
  readonly #group: FileGroup;
  readonly #tracker: RunTracker;
  readonly #ledger: RunLedger;
  /** Aborted when the other files are not to be scored either. */
  readonly #failed = new AbortController();
  /** Aborted then, and by the first signal. */
  readonly #stop: AbortSignal;
  /** When the run began, by `performance.now()`. */
  readonly #begun = performance.now();

  constructor(group: FileGroup, tracker: RunTracker, ledger: RunLedger) {
    this.#group = group;
    this.#tracker = tracker;
    this.#ledger = ledger;
    this.#stop = AbortSignal.any([group.control.signal, this.#failed.signal]);
    // Each of the files that are scored at the same time listens to it.
    setMaxListeners(0, this.#stop);
  }

  /** Finds the files, opens what predicts for all of them, and scores them. */
  async execute(held: HeldRun): Promise<Summary> {
    const { job, watch, control } = this.#group;
    const { signal: stop } = control;
    const { inputs, values, backends } = job;
    const tracker = this.#tracker;
    const report = reportOf(values);
    const note = (warning: RunNote): void => tracker.note(warning);
    const onWaiting = (waiting: Waiting): void => tracker.tell(each => each.waiting?.(waiting));
    await inputWait({ ...values, inputs, backends, stop, onWaiting })?.arrived();
    const { pairs } = await planFiles(job, stop, undefined, this.#ledger);
    // A name that promises too much is refused once, before the start.
    for (const { output, rejects } of pairs) writtenFile({ ...values, output, rejects });
    const reading = this.#ledger.read().catch(error => watch.ledgerUnreadable(this.#ledger.path, error));
    await unlessStopped(reading, stop);
    const { last } = tracker;
    const earlier = await unlessStopped(earlierOf({ ...values, report, last, backends, note }), stop);
    const folders = await makeOutputFolders(writtenBy(pairs), fixedFolders(values));
    held.open(() => folders.undo());
    const { scorer, close } = await this.#group.openScorer(tracker.requests);
    held.open(close);
    const summary = await this.#scoreAll(pairs, earlier, scorer);
    await held.close();
    return summary;
  }

  async #scoreAll(
    pairs: readonly FilePair[],
    earlier: EarlierFigures | undefined,
    scorer: SharedScorer,
  ): Promise<Summary> {
    const { job, control, watch } = this.#group;
    const { values } = job;
    const { signal: stop } = control;
    const [tracker, ledger] = [this.#tracker, this.#ledger];
    // The requests are counted in the runs of the files.
    tracker.ready({ name: scorer.name, protocol: scorer.protocol });
    watch.opened(pairs.length, scorer);
    const work = await outputWorkOf(values, scorer, stop);
    const inputs = pairs.map(({ input }) => input);
    const total = new RunsTotal(await sizesOf(inputs, job.backends, stop));
    const budget = rejectBudget(values.maxRejects, 'of all files ');
    const tally = new TotalTally();
    const least = leastRows(values.minRows, tracker.last, warning => tracker.note(warning));
    // What is judged at the end of a run is judged before its output appears, which is too early if others follow.
    const judged = pairs.length === 1 ? { least } : { budget };
    const shared = { ...judged, total: tally, earlier, last: tracker.last ?? null };
    tracker.figures = () => {
      const figures = tally.figures();
      return figures && this.#isPart ? { ...figures, drift: null } : figures;
    };
    tracker.sample = () => total.sample();
    tracker.columnsOf = id => this.#columns.of(id);
    tracker.files = () => ({ rowCounts: total.rowCounts, runs: total.summaries });
    await ledger.begin(pairs).catch(watch.ledgerNotWritten);
    watch.started(total);
    let refusal: RowcastError | undefined;
    let isWhole = false;
    try {
      const left = pairs.entries();
      const scoreNext = async (): Promise<void> => {
        for (const [index, pair] of left) await this.#score(pair, index, { scorer, shared, work, total });
      };
      await Promise.all(Array.from({ length: values.jobs }, scoreNext));
      if (stop.aborted) {
        watch.suspended();
        throw new Interrupted(stop);
      }
      budget.setOthers(this.#before);
      refusal = refusalOf(() => {
        budget.checkEnd();
        if (this.#failures.length === 0) checkLeastRows(least, total.rowCounts.read + this.skipped.read);
      });
      if (refusal !== undefined || this.#failures.length === 0) ledger.judge(values.output, refusal);
      isWhole = refusal === undefined && this.#failures.length === 0;
    } finally {
      watch.scored();
      // A good run is written with it, at once.
      if (!isWhole) await ledger.flush().catch(watch.ledgerNotWritten);
    }
    const { read, rejected } = total.rowCounts;
    // Running a command again does not turn rejected rows into a success.
    const all = { read: read + this.skipped.read, rejected: rejected + this.skipped.rejected };
    const codes = this.#failures.map(failure => failure.code);
    const code = combineExitCodes(codes, exitCodeOfRows(values, all));
    const decisive = this.#failures.find(failure => failure.code === code);
    if (this.#same.length > 0) tracker.note(sameFiles(this.#same, values.ifSameAsLast));
    if (this.#again.length > 0) tracker.note(filesAgain(this.#again));
    if (this.#withoutRows.length > 0) tracker.warn(filesWithoutRows(this.#withoutRows));
    if (refusal !== undefined) {
      this.isRefused = true;
      throw refusal;
    }
    if (this.#isPart && earlier !== undefined)
      tracker.note({
        code: 'no_comparison',
        message: 'all files together are not compared: an earlier attempt has scored some of them',
      });
    const changed = noteDrift(tracker);
    if (changed !== undefined) watch.drifted(changed);
    const status = totalStatus(Array.from(total.summaries, ({ status }) => status));
    const summary = await tracker.end(status, code, decisive && runErrorOf(decisive.error));
    await ledger.flush().catch(watch.ledgerNotWritten);
    watch.finished(summary, this.skipped.rejected);
    return summary;
  }

  /**
   * Scores a file. A failure is reported and does not stop the others.
   *
   * @param index of the file, for the order of the summaries
   */
  async #score(file: FilePair, index: number, { scorer, shared, work, total }: SharedByFiles): Promise<void> {
    const { job, watch } = this.#group;
    const { ifExists, report, encoding, ifSameAsLast, failFast, lineage } = job.values;
    const [ledger, stop] = [this.#ledger, this.#stop];
    const key = { ...file, options: work };
    const fileWatch = watch.ofFile(file, stop);
    const skipsUnchanged = ifExists === 'skip-unchanged';
    // A file that was scored before is scored again because something else has changed.
    const isUntouched = skipsUnchanged && (await ledger.isUntouched(file));
    const run = runOfFile(job, file, {
      openScorer: async () => scorer.forRun(report),
      observers: [
        total.of(index),
        ledgerEntry(ledger, key, watch.ledgerNotWritten, stop),
        ...fileWatch.observers,
      ],
      control: new RunControl(stop),
      wait: { begun: this.#begun, hasArrived: true },
      shared: isUntouched ? { ...shared, last: null } : shared,
    });
    const last = ledger.finished(file.output);
    const tracker = new RunTracker(run);
    if (last !== undefined) tracker.last = lastRunOfFile(last, tracker.names);
    let isAgain = false;
    try {
      if (stop.aborted) throw new Interrupted(stop);
      const refused = ifSameAsLast === 'fail' ? this.#tracker.last?.digests : undefined;
      const reading = { encoding, backends: job.backends, stop, refused };
      const unchanged = skipsUnchanged
        ? await unlessStopped(unchangedRun(ledger, key, reading), stop)
        : undefined;
      if (unchanged === undefined) {
        fileWatch.begin(tracker);
        await executeRun(run, tracker).finally(() => fileWatch.end(tracker));
        return;
      }
      const { rows, finished_at } = unchanged.run;
      isAgain = unchanged.isAgain;
      if (isAgain) {
        tracker.note({
          code: 'same_as_last',
          message: `${file.input} was delivered again with the bytes that it had when it was scored; it is skipped`,
        });
        this.#again.push(file.input);
      }
      this.skipped.read += rows.read;
      this.skipped.rejected += rows.rejected;
      if (isScoredSince({ finished_at }, this.#tracker.last)) {
        this.#before.read += rows.read;
        this.#before.rejected += rows.rejected;
        this.#isPart ||= rows.read > 0;
      }
      await tracker.end('skipped', exitCodeOfRows(job.values, rows));
    } catch (error) {
      if (tracker.result === undefined) await tracker.fail(error);
      if (error instanceof Interrupted) return;
      this.#failures.push({ code: codeOfFile(exitCodeOf(error)), error });
      fileWatch.failed(error);
      if (failFast || concernsAll(error)) this.#failed.abort(`the failure of ${file.input}`);
    } finally {
      run.control.end();
      const warned = new Set(tracker.result?.warnings.map(({ code }) => code));
      if (warned.has('same_as_last') && !isAgain) this.#same.push(file.input);
      if (warned.has('no_rows')) this.#withoutRows.push(file.input);
      const { runId } = tracker.attempt;
      const columns = lineage === undefined ? undefined : tracker.columnsOf(runId);
      if (columns !== undefined) this.#columns.add(runId, columns, tracker.predictionType ?? null);
      total.end(index);
    }
  }
}

/** What the runs of the files have in common. */
interface SharedByFiles {
  scorer: SharedScorer;
  shared: NonNullable<Run['shared']>;
  /** What affects the outputs of all files. */
  work: Readonly<Record<string, string>>;
  total: RunsTotal;
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
