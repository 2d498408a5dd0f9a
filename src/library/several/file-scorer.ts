import { setMaxListeners } from 'node:events';
import { Interrupted, unlessStopped } from '../../base/interrupted.ts';
import { executeRun } from '../../runs/execute-run.ts';
import { exitCodeOf, exitCodeOfRows } from '../../runs/exit-code.ts';
import { ledgerEntry } from '../../runs/observers/ledger.ts';
import { SharedColumns } from '../../runs/observers/lineage/shared-columns.ts';
import type { RunsTotal } from '../../runs/observers/total.ts';
import type { Run, RunJob } from '../../runs/run.ts';
import { RunControl } from '../../runs/run-control.ts';
import { RunRecord } from '../../runs/run-record.ts';
import type { FilePair } from '../../runs/several/pair-files.ts';
import type { RunLedger } from '../../runs/several/run-ledger.ts';
import { lastRunOfFile, unchangedRun } from '../../runs/several/unchanged-run.ts';
import { isScoredSince } from '../../runs/summary/good-run.ts';
import type { LastRun } from '../../runs/summary/last-run.ts';
import type { SharedScorer } from '../../scoring/scorer.ts';
import { runOfFile } from '../runs-of.ts';
import { codeOfFile } from './combine-exit-codes.ts';
import { concernsAll } from './common-failures.ts';
import type { FilesWatch } from './group.ts';

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
  /** Whether an attempt after the last good run has finished some of them. */
  isPart = false;
  /** Inputs with the bytes of one of the last good run. */
  readonly same: string[] = [];
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
    const told = watch.ofFile(file, this.#stop);
    // A file that was scored before is scored again because something else has changed.
    const isAgain = job.values.ifExists === 'skip-unchanged' && (await ledger.isUntouched(file));
    const run = runOfFile(job, file, {
      openScorer: async () => scorer.forRun(job.values.report),
      observers: [
        total.of(index),
        ledgerEntry(ledger, key, watch.ledgerNotWritten, this.#stop),
        ...told.observers,
      ],
      control: new RunControl(this.#stop),
      wait: { begun, hasArrived: true },
      shared: isAgain ? { ...shared, last: null } : shared,
    });
    const last = ledger.finished(file.output);
    const record = new RunRecord(run);
    if (last !== undefined) record.last = lastRunOfFile(last, record.names);
    try {
      if (this.#stop.aborted) throw new Interrupted(this.#stop);
      const earlier =
        job.values.ifExists === 'skip-unchanged'
          ? await unlessStopped(unchangedRun(ledger, key), this.#stop)
          : undefined;
      if (earlier === undefined) {
        told.begin(record);
        await executeRun(run, record).finally(() => told.end(record));
        return;
      }
      this.skipped.read += earlier.rows.read;
      this.skipped.rejected += earlier.rows.rejected;
      this.isPart ||= earlier.rows.read > 0 && isScoredSince(earlier, this.#options.last);
      await record.end('skipped', exitCodeOfRows(job.values, earlier.rows));
    } catch (error) {
      if (record.result === undefined) await record.fail(error);
      if (error instanceof Interrupted) return;
      this.failures.push({ code: codeOfFile(exitCodeOf(error)), error });
      told.failed(error);
      if (job.values.failFast || concernsAll(error)) this.#failed.abort(`the failure of ${file.input}`);
    } finally {
      run.control.end();
      if (record.result?.warnings.some(({ code }) => code === 'same_as_last')) this.same.push(file.input);
      this.#keepColumns(record);
      total.end(index);
    }
  }

  #keepColumns({ attempt: { runId }, predictionType, columnsOf }: RunRecord): void {
    const columns = this.#options.job.values.lineage === undefined ? undefined : columnsOf(runId);
    if (columns !== undefined) this.columns.add(runId, columns, predictionType ?? null);
  }
}
