import { setMaxListeners } from 'node:events';
import { Interrupted, unlessStopped } from '../../base/interrupted.ts';
import type { JobValues } from '../../library/job-values.ts';
import { namesOf } from '../../library/run-names.ts';
import { reportOf } from '../../library/runs-of.ts';
import { reportHash } from '../../runs/checkpoint/fingerprint.ts';
import { executeRun } from '../../runs/execute-run.ts';
import { exitCodeOf, exitCodeOfRows } from '../../runs/exit-code.ts';
import type { RunObserver } from '../../runs/observer.ts';
import { drift } from '../../runs/observers/drift.ts';
import { SharedColumns } from '../../runs/observers/lineage/shared-columns.ts';
import { RunSpan } from '../../runs/observers/telemetry/run-observers.ts';
import { unknownValues } from '../../runs/observers/unknown-values.ts';
import type { Run } from '../../runs/run.ts';
import { RunControl } from '../../runs/run-control.ts';
import { RunRecord } from '../../runs/run-record.ts';
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
import { type LogFields, logOfFile } from '../terminal/log.ts';
import { progressMode } from '../terminal/progress.ts';
import { codeOfFile } from './combine-exit-codes.ts';
import { concernsAll } from './common-failures.ts';
import type { FilesProgress } from './files-progress.ts';
import { logDrift } from './log-drift.ts';
import { logRunId } from './log-run-id.ts';
import { progressLine } from './progress-line.ts';
import { runLog } from './run-log.ts';

export interface FileScorerOptions {
  values: JobValues;
  scorer: SharedScorer;
  /** What the runs have in common. */
  shared: NonNullable<Run['shared']>;
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
    const { values, ledger, work, progress } = this.#options;
    const { input, output, rejects } = pair;
    const logFields: LogFields = { input };
    const log = logOfFile(this.#context.log, input, logFields);
    const context = { ...this.#context, log, logFields, commandLine: '' };
    const span = new RunSpan(context.telemetry);
    const run = this.#runOfFile(context, pair, span);
    const record = new RunRecord(run);
    logFields.run_id = record.attempt.runId;
    let hasBegun = false;
    const finished = { input, output, rejects, options: work };
    progress.begin(index, record);
    try {
      if (this.#stop.aborted) throw new Interrupted(this.#stop);
      const earlier = values.ifExists === 'skip-unchanged' ? await unchangedRun(ledger, finished) : undefined;
      if (earlier !== undefined) {
        this.skipped.read += earlier.rows.read;
        this.skipped.rejected += earlier.rows.rejected;
        this.#summaries[index] = await record.end('skipped', exitCodeOfRows(values, earlier.rows));
        ledger.skip(finished);
        return;
      }
      hasBegun = true;
      const version = await versionOf(input);
      span.start(record);
      const summary = await executeRun(run, record);
      this.#summaries[index] = summary;
      const { status, run_id, exit_code, rows } = summary;
      const entry = { run_id, exit_code: exit_code ?? 0, rows: { read: rows.read, rejected: rows.rejected } };
      if (status === 'finished' && version !== undefined) await ledger.add(finished, entry, version);
      else ledger.skip(finished);
    } catch (error) {
      const summary = record.result ?? (await record.fail(error));
      this.#summaries[index] = summary;
      if (error instanceof Interrupted) return;
      if (summary.error !== null) ledger.fail(finished, summary.error);
      this.failures.push(codeOfFile(exitCodeOf(error)));
      logFileFailure(context, error, input);
      if (values.failFast || concernsAll(error)) this.#failed.abort(`the failure of ${input}`);
    } finally {
      run.control.end();
      span.end();
      if (hasBegun) context.lineage?.ended(record);
      const columns = values.lineage === undefined ? undefined : record.columnsOf(record.attempt.runId);
      if (columns !== undefined)
        this.columns.add(record.attempt.runId, columns, record.predictionType ?? null);
      progress.end(index, record, this.#summaries[index]?.status);
    }
  }

  #runOfFile(context: Context, pair: FilePair, span: RunObserver): Run {
    const { values, scorer, shared, reads } = this.#options;
    const { flags, log, logFormat, lineage } = context;
    const { input, output } = pair;
    const report = reportOf(values);
    const options = { ...values, ...pair, report };
    return {
      names: namesOf(options, [input]),
      options,
      paths: { ...pair, private: values.private, reads },
      openScorer: async () => scorer.forRun(),
      observers: [
        logRunId(context.logFields),
        progressLine({ ...progressMode(flags), output, name: input, logFormat, log }, this.#stop),
        runLog(context, { report, input, output, isPart: true }),
        unknownValues(line => log.warn({ event: 'unknown_values' }, line)),
        drift(line => logDrift(log, line, true)),
        { opened: run => lineage?.started(run) },
        span,
      ],
      control: new RunControl(this.#stop),
      shared,
    };
  }
}

/**
 * What affects the outputs of all files: a finished one is scored again when it changes.
 *
 * @throws RowcastError if there is no such report
 */
export async function workOf(
  values: JobValues,
  scorer: Scorer,
  stop: AbortSignal,
): Promise<Record<string, string>> {
  const id = reportOf(values);
  const hash = reportHash(await unlessStopped(scorer.describe(id), stop));
  const { name: service, protocol } = scorer;
  return outputOptionsOf(values, { service, protocol, report: { id, hash } });
}
