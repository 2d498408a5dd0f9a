import { setMaxListeners } from 'node:events';
import { RowcastError } from '../../base/errors.ts';
import { Interrupted, unlessStopped } from '../../base/interrupted.ts';
import { exitCodeOf } from '../../library/run/exit-code.ts';
import { namesOf } from '../../library/run/run-names.ts';
import { RunRecord } from '../../library/run/run-record.ts';
import { codeOf, reportOf } from '../../library/run/score-recorded.ts';
import type { ScoreValues } from '../../library/run/score-values.ts';
import { hashOf } from '../../runs/checkpoint/fingerprint.ts';
import { savedAttempt } from '../../runs/checkpoint/saved-attempt.ts';
import { SharedColumns } from '../../runs/observers/lineage/shared-columns.ts';
import type { RunTelemetry } from '../../runs/observers/telemetry/run-telemetry.ts';
import { lockRunPaths } from '../../runs/paths/lock-paths.ts';
import { runFilesOf } from '../../runs/paths/run-files.ts';
import type { RunIo } from '../../runs/score.ts';
import { versionOf } from '../../runs/several/file-version.ts';
import { outputOptionsOf } from '../../runs/several/output-options.ts';
import type { FilePair } from '../../runs/several/pair-files.ts';
import type { RunLedger } from '../../runs/several/run-ledger.ts';
import { unchangedRun } from '../../runs/several/unchanged-run.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import type { Scorer, SharedScorer } from '../../scoring/scorer.ts';
import type { UsedFile } from '../../storage/local/used-file.ts';
import type { Context } from '../context.ts';
import { logFileFailure } from '../last-error.ts';
import { logOfFile } from '../terminal/log.ts';
import { openProgress, progressMode } from '../terminal/progress.ts';
import { concernsAll } from './common-failures.ts';
import type { FilesProgress } from './files-progress.ts';
import { scoreWith } from './scoring.ts';
import { codeOfFile } from './total.ts';
import { unwritten } from './unwritten.ts';

export interface FileScorerOptions {
  values: ScoreValues;
  scorer: SharedScorer;
  /** What the runs have in common. */
  shared: Pick<RunIo, 'budget' | 'total' | 'earlier'>;
  ledger: RunLedger;
  /** What affects the outputs of all files, from `workOf`. */
  work: Readonly<Record<string, string>>;
  /** Files that the command reads besides the inputs. */
  reads: readonly UsedFile[];
  progress: FilesProgress;
  /** Aborted by the first signal. */
  stop: AbortSignal;
}

/** Scores files of one command, several at a time. A failure is logged, and is no reason to stop the others. */
export class FileScorer {
  /** Exit codes of files that failed. */
  readonly failures: number[] = [];
  /** The columns of the runs that have ended, if their lineage is written. */
  readonly columns = new SharedColumns();
  /** Rows of the runs that finished files which were skipped because they have not changed. */
  readonly skipped = { read: 0, rejected: 0 };
  readonly #context: Context;
  readonly #options: FileScorerOptions;
  readonly #summaries: Summary[] = [];
  /** Aborted when the other files are not to be scored either. */
  readonly #failed = new AbortController();
  readonly #stop: AbortSignal;

  constructor(context: Context, options: FileScorerOptions) {
    this.#context = context;
    this.#options = options;
    this.#stop = AbortSignal.any([options.stop, this.#failed.signal]);
    // Each of the files that are scored at the same time listens to it.
    setMaxListeners(0, this.#stop);
  }

  /** The summaries of the files so far, in their order. */
  get summaries(): Summary[] {
    return this.#summaries.filter(summary => summary !== undefined);
  }

  /** @param index of the file, for the order of the summaries */
  async score(pair: FilePair, index: number): Promise<void> {
    const { values, ledger, work, progress, stop } = this.#options;
    const { input, output, rejects } = pair;
    const record = new RunRecord(namesOf({ ...values, ...pair }, [input]), undefined);
    const logFields = { run_id: record.attempt.runId, input };
    const log = logOfFile(this.#context.log, input, logFields);
    const context = { ...this.#context, log, logFields, commandLine: '' };
    let telemetry: RunTelemetry | undefined;
    let hasBegun = false;
    const finished = { input, output, rejects, options: work };
    progress.begin(index, record);
    try {
      if (this.#stop.aborted) throw new Interrupted(this.#stop);
      const earlier = values.ifExists === 'skip-unchanged' ? await unchangedRun(ledger, finished) : undefined;
      if (earlier !== undefined) {
        this.skipped.read += earlier.rows.read;
        this.skipped.rejected += earlier.rows.rejected;
        this.#summaries[index] = await record.end('skipped', codeOf(values, earlier.rows), stop);
        ledger.skip(finished);
        return;
      }
      hasBegun = true;
      const version = await versionOf(input);
      telemetry = context.telemetry?.begin(record);
      const score = () => this.#run({ ...context, telemetry }, pair, record);
      const summary = await (telemetry?.within(score) ?? score());
      this.#summaries[index] = summary;
      const { status, run_id, exit_code, rows } = summary;
      const entry = { run_id, exit_code: exit_code ?? 0, rows: { read: rows.read, rejected: rows.rejected } };
      if (status === 'finished' && version !== undefined) await ledger.add(finished, entry, version);
      else ledger.skip(finished);
    } catch (error) {
      // That is the id of the other run.
      if (error instanceof RowcastError && error.code === 'other_work') record.attempt = record.newRun;
      const summary = await record.fail(error, unwritten(context.log));
      this.#summaries[index] = summary;
      if (error instanceof Interrupted) return;
      if (summary.error !== null) ledger.fail(finished, summary.error);
      this.failures.push(codeOfFile(exitCodeOf(error)));
      logFileFailure(context, error, input);
      if (values.failFast || concernsAll(error)) this.#failed.abort(`the failure of ${input}`);
    } finally {
      telemetry?.end();
      if (hasBegun) context.lineage?.ended(record);
      const columns = values.lineage === undefined ? undefined : record.columnsOf(record.attempt.runId);
      if (columns !== undefined) this.columns.add(record.attempt.runId, columns, record.classes);
      progress.end(index, record, this.#summaries[index]?.status);
    }
  }

  async #run(context: Context, pair: FilePair, record: RunRecord): Promise<Summary> {
    const { values, scorer, shared, reads } = this.#options;
    const own = scorer.forRun();
    const { flags, log, logFormat } = context;
    const { input: name, output } = pair;
    const progress = openProgress({ ...progressMode(flags), output, name, logFormat, log });
    try {
      const held = await lockRunPaths({ ...pair, private: values.private, reads });
      try {
        const path = held.output.path;
        if (!values.restart && path !== undefined)
          record.attempt = (await savedAttempt(runFilesOf(path).checkpoint)) ?? record.attempt;
        context.logFields.run_id = record.attempt.runId;
        const scoring = { values: { ...values, ...pair }, input: pair.input, held, record, stop: this.#stop };
        return await scoreWith(context, scoring, { ...shared, scorer: own.scorer, progress });
      } finally {
        await held.release();
      }
    } finally {
      progress.close();
      await own.close();
    }
  }
}

/**
 * What affects the outputs of all files: a finished one is scored again when it changes.
 *
 * @throws RowcastError if there is no such report
 */
export async function workOf(
  values: ScoreValues,
  scorer: Scorer,
  stop: AbortSignal,
): Promise<Record<string, string>> {
  const id = reportOf(values);
  const hash = hashOf(await unlessStopped(scorer.describe(id), stop));
  return outputOptionsOf(values, { service: scorer.name, report: { id, hash } });
}
