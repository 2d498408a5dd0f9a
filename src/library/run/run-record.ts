import type { CallStatistics } from '../../contract/call-statistics.ts';
import type { DataFigures } from '../../drift/figures.ts';
import { RowcastError } from '../../errors.ts';
import { type Accounts, newAccounts } from '../../runs/accounts.ts';
import { type Attempt, firstAttempt } from '../../runs/attempt.ts';
import {
  type Checksums,
  type Ending,
  type RunNames,
  type RunWarning,
  type Summary,
  summaryOf,
} from '../../runs/summary.ts';
import type { RunProgress } from '../../scoring/observer.ts';
import { runErrorOf } from '../../scoring/run-error.ts';
import type { Target } from '../../storage/target.ts';
import { reasonOf } from '../../system-error.ts';
import { exitCodeOf } from './exit-code.ts';
import { metricsText } from './metrics-text.ts';
import { writeFileNow, writeWhole } from './write-whole.ts';

/** What is known about a run so far. It is written to the summary file, if there is one. */
export class RunRecord {
  /** This process, if it begins a new run. */
  readonly newRun: Attempt = firstAttempt();
  /** This process of the run. */
  attempt: Attempt = this.newRun;
  service: string | null = null;
  classes: readonly string[] = [];
  readonly warnings: RunWarning[] = [];
  statistics: CallStatistics | undefined;
  accounts: Accounts = newAccounts();
  /** How far it was with the last part that was written. */
  progress: Pick<RunProgress, 'fraction' | 'before'> | undefined;
  /** The counts of the last checkpoint; rows after it are scored again. */
  kept: () => Accounts | undefined = () => undefined;
  resumedFrom: number | undefined;
  checksums: Checksums | undefined;
  /** Of several files: their totals and summaries so far. */
  files: () => { accounts: Accounts; runs: readonly Summary[] | undefined } | undefined = () => undefined;
  /** Where its metrics go, if anywhere. */
  metrics: Target | undefined;
  /** What was found in the data so far. */
  figures: () => DataFigures | undefined = () => undefined;
  readonly names: RunNames;
  readonly #target: Target | undefined;
  readonly #begun = performance.now();
  #result: Summary | undefined;

  constructor(names: RunNames, target: Target | undefined) {
    this.names = names;
    this.#target = target;
  }

  /** Writes that the run is in progress; a pipe or device gets only the final summary. */
  async begin(): Promise<void> {
    const target = this.#target ?? this.metrics;
    if (target?.path !== undefined) await this.#write(this.summary(undefined), AbortSignal.abort());
  }

  /**
   * Writes how the run ended.
   *
   * @param stop aborts waiting for a reader of a FIFO
   */
  async end(
    status: 'finished' | 'skipped' | 'stopped',
    exitCode: number,
    stop: AbortSignal,
  ): Promise<Summary> {
    const summary = this.summary({ status, exitCode, error: null, finishedAt: new Date() });
    await this.#write(summary, stop).catch(error => {
      throw error instanceof RowcastError ? error.duringRun() : error;
    });
    this.#result = summary;
    return summary;
  }

  /**
   * Writes why the run ended early.
   *
   * @param onUnwritten called with the reason if that fails
   */
  async fail(error: unknown, onUnwritten: (reason: string) => void): Promise<Summary> {
    const summary = this.summary(endingOf(error));
    await this.#write(summary, AbortSignal.abort()).catch(cause => onUnwritten(reasonOf(cause)));
    this.#result = summary;
    return summary;
  }

  /** The same, but synchronously, because the process is about to end; only for a file. */
  failNow(error: unknown, exitCode = exitCodeOf(error)): void {
    if (this.#result !== undefined) return;
    this.accounts = this.kept() ?? this.accounts;
    const summary = this.summary({ ...endingOf(error), exitCode });
    this.#result = summary;
    writeNow(this.#target, textOf(summary));
    writeNow(this.metrics, metricsText(summary));
  }

  /** What is known now, and how it ended, if it has. */
  get state(): Summary {
    return this.#result ?? this.summary(undefined);
  }

  summary(ending: Ending | undefined): Summary {
    const { attempt, service, classes, statistics, resumedFrom, checksums, warnings } = this;
    const { accounts, runs } = this.files() ?? { accounts: this.accounts, runs: undefined };
    const seconds = (performance.now() - this.#begun) / 1000;
    return summaryOf({
      ...this.names,
      ...{
        attempt,
        service,
        classes,
        statistics,
        accounts,
        resumedFrom,
        checksums,
        warnings,
        runs,
        figures: this.figures(),
        seconds,
        ending,
      },
    });
  }

  async #write(summary: Summary, stop: AbortSignal): Promise<void> {
    if (this.metrics !== undefined) await writeWhole(this.metrics, metricsText(summary), stop);
    if (this.#target === undefined) return;
    await writeWhole(this.#target, textOf(summary), stop);
  }
}

function writeNow(target: Target | undefined, text: string): void {
  if (target?.path === undefined) return;
  try {
    writeFileNow(target.path, text, target.isPrivate ?? false);
  } catch {
    // The process is ending, so nothing can be done about it.
  }
}

const textOf = (summary: Summary): string => `${JSON.stringify(summary, null, 2)}\n`;

function endingOf(error: unknown): Ending {
  const isRefused = error instanceof RowcastError && error.severity === 'refused';
  return {
    status: isRefused ? 'refused' : 'stopped',
    exitCode: exitCodeOf(error),
    error: runErrorOf(error),
    finishedAt: new Date(),
  };
}
