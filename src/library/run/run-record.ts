import type { CallStatistics } from '../../base/contract/call-statistics.ts';
import { RowcastError } from '../../base/errors.ts';
import { reasonOf } from '../../base/system-error.ts';
import { type Attempt, firstAttempt } from '../../runs/attempt.ts';
import type { DataFigures } from '../../runs/drift/figures.ts';
import type { RunProgress } from '../../runs/observer.ts';
import type { RunColumns } from '../../runs/observers/lineage/run-columns.ts';
import { runErrorOf } from '../../runs/run-error.ts';
import {
  type Checksums,
  type Ending,
  type RunNames,
  type RunWarning,
  type Summary,
  summaryOf,
} from '../../runs/summary/summary.ts';
import type { TimelineSample } from '../../runs/summary/timeline.ts';
import { type Accounts, newAccounts } from '../../scoring/row-counts.ts';
import type { Target } from '../../storage/target.ts';
import { exitCodeOf } from './exit-code.ts';
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
  /** What earlier processes of a resumed run had done. */
  before: Accounts = newAccounts();
  /** The counts of the last checkpoint; rows after it are scored again. */
  kept: () => Accounts | undefined = () => undefined;
  resumedFrom: number | undefined;
  /** How long other processes of the run have worked, and what they scored in that time. */
  others: { seconds: number; rows: number } | undefined;
  checksums: Checksums | undefined;
  /** Of several files: their totals and summaries so far. */
  files: () => { accounts: Accounts; runs: readonly Summary[] | undefined } | undefined = () => undefined;
  /** What is written besides the summary, from the same facts. */
  reports: readonly RunReport[] = [];
  /** What was found in the data so far. */
  figures: () => DataFigures | undefined = () => undefined;
  /** The columns of the run with an id, or of one of several; undefined if they are not known. */
  columnsOf: (runId: string) => RunColumns | undefined = () => undefined;
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
    const isFile = ({ target }: RunReport): boolean => target.path !== undefined;
    await writeAll(this.#all.filter(isFile), this.summary(undefined), AbortSignal.abort());
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
    await writeAll(this.#all, summary, stop).catch(error => {
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
    await writeAll(this.#all, summary, AbortSignal.abort()).catch(cause => onUnwritten(reasonOf(cause)));
    this.#result = summary;
    return summary;
  }

  /** The same, but synchronously, because the process is about to end; only for a file. */
  failNow(error: unknown, exitCode = exitCodeOf(error)): void {
    if (this.#result !== undefined) return;
    this.accounts = this.kept() ?? this.accounts;
    const summary = this.summary({ ...endingOf(error), exitCode });
    this.#result = summary;
    for (const report of this.#all) writeNow(report, summary);
  }

  /** Since this process began. */
  get seconds(): number {
    return (performance.now() - this.#begun) / 1000;
  }

  /** What is known now, and how it ended, if it has. */
  get state(): Summary {
    return this.#result ?? this.summary(undefined);
  }

  summary(ending: Ending | undefined): Summary {
    const { attempt, service, classes, statistics, resumedFrom, checksums, warnings } = this;
    const { accounts, runs } = this.files() ?? { accounts: this.accounts, runs: undefined };
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
        seconds: this.seconds + (this.others?.seconds ?? 0),
        rowsInSeconds: this.others?.rows,
        ending,
      },
    });
  }

  /** What this process has done so far, for a timeline. */
  sample: () => TimelineSample = () => {
    const { accounts, before, statistics } = this;
    const { count = 0, mean = 0 } = statistics?.latency ?? {};
    return {
      rows: accounts.read - before.read,
      rejected: accounts.rejected - before.rejected,
      batches: accounts.batches - before.batches,
      retries: [...(statistics?.retries.values() ?? [])].reduce((sum, calls) => sum + calls, 0),
      responses: count,
      latencyMs: count === 0 ? 0 : count * mean,
      inFlight: statistics?.inFlight ?? 0,
    };
  };

  /** The summary is the last one: when it is there, so are the others. */
  get #all(): RunReport[] {
    const target = this.#target;
    return [...this.reports, ...(target === undefined ? [] : [{ target, text: textOf }])];
  }
}

/** A file that is written from a summary. */
export interface RunReport {
  target: Target;
  text: (summary: Summary) => string;
}

/** Writes all of them, whichever fails; the first failure is thrown. */
async function writeAll(reports: readonly RunReport[], summary: Summary, stop: AbortSignal): Promise<void> {
  const failures: unknown[] = [];
  for (const { target, text } of reports)
    try {
      await writeWhole(target, text(summary), stop);
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0) throw failures[0];
}

function writeNow({ target, text }: RunReport, summary: Summary): void {
  if (target.path === undefined) return;
  try {
    writeFileNow(target.path, text(summary), target.isPrivate ?? false);
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
