import { existsSync } from 'node:fs';
import type { CallStatistics } from '../base/contract/call-statistics.ts';
import { classesOf, type PredictionType } from '../base/contract/predictions.ts';
import { defaultProtocol } from '../base/contract/protocol-names.ts';
import { schemeOf } from '../base/scheme.ts';
import { savedBy } from '../scoring/reuse/unsent.ts';
import { newRowCounts, type RowCounts } from '../scoring/row-counts.ts';
import { partialOf } from '../storage/local/sibling-path.ts';
import { type Attempt, firstAttempt } from './attempt.ts';
import type { DataFigures } from './drift/figures.ts';
import type { RunColumns } from './run-columns.ts';
import type { LastRun } from './summary/last-run.ts';
import {
  type Checksums,
  type Ending,
  type RunNames,
  type RunWarning,
  type Summaries,
  type Summary,
  summaryCounts,
} from './summary/summary.ts';
import type { TimelineSample } from './summary/timeline.ts';

/** What is known about a run so far, and the summary of it. */
export class RunFacts {
  /** Identifies this process, if it begins a new run. */
  readonly newRun: Attempt = firstAttempt();
  /** Identifies this process and its run. */
  attempt: Attempt = this.newRun;
  readonly names: RunNames;
  /** The name of the scorer; null until it is known. */
  service: string | null = null;
  protocol: string = defaultProtocol;
  /** What the output's header says, once that is known. */
  predictionType: PredictionType | undefined;
  /** Statistics of the requests, if the scorer makes any. */
  statistics: CallStatistics | undefined;
  rowCounts: RowCounts = newRowCounts();
  /** What earlier processes of a resumed run had done. */
  before: RowCounts = newRowCounts();
  resumedFrom: number | undefined;
  /** How long other processes of the run have worked, and what they scored in that time. */
  others: { seconds: number; rows: number } | undefined;
  checksums: Checksums | undefined;
  /** See `Summary.digest`. */
  digest: string | undefined;
  /** The last good run of the same output; undefined if none is known. */
  last: LastRun | undefined;
  /** The totals and summaries of several files so far. */
  files: () => { rowCounts: RowCounts; runs: Summaries | undefined } | undefined = () => undefined;
  /** What was found in the data so far. */
  figures: () => DataFigures | undefined = () => undefined;
  /** The columns of the run with an id, or of one of several; undefined if they are not known. */
  columnsOf: (runId: string) => RunColumns | undefined = () => undefined;
  /** The last summary, once the run has ended. */
  result: Summary | undefined;
  protected readonly warnings: RunWarning[] = [];
  readonly #begun = performance.now();

  constructor(names: RunNames) {
    this.names = names;
  }

  /** Adds a warning about the data to the summary. */
  warn(warning: RunWarning): void {
    this.warnings.push(warning);
  }

  /** Seconds since this process began. */
  get seconds(): number {
    return (performance.now() - this.#begun) / 1000;
  }

  /** The summary so far; the last one once the run has ended. */
  get state(): Summary {
    return this.result ?? this.summary(undefined);
  }

  /** @param ending undefined while the run is in progress */
  summary(ending: Ending | undefined): Summary {
    const { names, attempt, resumedFrom, predictionType } = this;
    const { rowCounts, runs } = this.files() ?? { rowCounts: this.rowCounts, runs: undefined };
    const rejects = ending?.status === 'stopped' && runs === undefined ? this.#rejectsLeft() : names.rejects;
    const seconds = this.seconds + (this.others?.seconds ?? 0);
    const rowsInSeconds = this.others?.rows ?? rowCounts.read - (resumedFrom ?? 1) + 1;
    const latency = this.statistics?.latency;
    const figures = this.figures();
    return {
      format: 1,
      version: names.version,
      run_id: attempt.runId,
      status: ending?.status ?? 'running',
      // A run that no command made has no exit code.
      exit_code: names.version === null ? null : (ending?.exitCode ?? null),
      error: ending?.error ?? null,
      started_at: attempt.runStartedAt,
      finished_at: ending?.finishedAt.toISOString() ?? null,
      attempts: attempt.number,
      resumed_from_row: resumedFrom ?? null,
      input: names.input,
      output: names.output,
      rejects: rowCounts.rejected > 0 || names.hasNamedRejects ? rejects : null,
      service: this.service,
      protocol: this.protocol,
      report: names.report,
      classes: classesOf(predictionType),
      prediction: predictionType ?? null,
      options: names.options,
      ...summaryCounts(rowCounts),
      ...savedBy(names.options, rowCounts),
      seconds: Math.round(seconds * 1000) / 1000,
      rows_per_second: seconds > 0 ? Math.round(Math.max(0, rowsInSeconds) / seconds) : 0,
      latency_ms:
        latency === undefined || latency.count === 0
          ? null
          : { p50: latency.percentile(50), p95: latency.percentile(95), p99: latency.percentile(99) },
      sha256: this.checksums ?? null,
      digest: this.digest ?? null,
      columns: figures?.columns ?? null,
      scores: figures?.scores ?? null,
      labels: figures?.labels ?? null,
      drift: figures?.drift ?? null,
      warnings: this.warnings,
      last: ending?.status === 'finished' ? null : (this.last ?? null),
      runs: runs ?? null,
    };
  }

  /**
   * Where the rejects of a stopped run are: in the file that is to be renamed when it has finished, if that is there.
   */
  #rejectsLeft(): string | null {
    const { rejects } = this.names;
    if (rejects === null || schemeOf(rejects) !== undefined) return rejects;
    const partial = partialOf(rejects);
    return existsSync(partial) ? partial : rejects;
  }

  /** What this process has done so far, for a timeline. */
  sample: () => TimelineSample = () => {
    const { rowCounts, before, statistics } = this;
    const { count = 0, mean = 0 } = statistics?.latency ?? {};
    return {
      rows: rowCounts.read - before.read,
      rejected: rowCounts.rejected - before.rejected,
      batches: rowCounts.batches - before.batches,
      retries: [...(statistics?.retries.values() ?? [])].reduce((sum, calls) => sum + calls, 0),
      responses: count,
      latencyMs: count === 0 ? 0 : count * mean,
      inFlight: statistics?.inFlight ?? 0,
    };
  };
}
