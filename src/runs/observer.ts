import type { PredictionType } from '../base/contract/predictions.ts';
import type { LongField } from '../formats/records/read-batches.ts';
import type { Reject } from '../formats/records/reject.ts';
import type { StoredTally } from '../scoring/counting/run-tally.ts';
import type { CallError } from '../scoring/failures/call-error.ts';
import type { RowCounts } from '../scoring/row-counts.ts';
import type { Scorer, TraceBatch, TraceRequest } from '../scoring/scorer.ts';
import type { DataFigures } from './drift/figures.ts';
import type { Waiting } from './input-wait.ts';
import type { InputWarning } from './input-warnings.ts';
import type { ResumePoint, WrittenExtents } from './output/output.ts';
import type { RunPaths } from './paths/run-paths.ts';
import type { RowOrder } from './reuse/earlier-output.ts';
import type { RunFacts } from './run-facts.ts';
import type { Checksums, RunNote, Summary } from './summary/summary.ts';

/** The progress of a run. */
export interface RunProgress {
  /** Totals over all processes of a resumed run. */
  rowCounts: RowCounts;
  /** Fraction of the work that is done, if known: of the `--limit` rows, or of a plain file's bytes. */
  fraction: number | undefined;
  /** What the output's header says; undefined until it is written. */
  predictionType: PredictionType | undefined;
  /** What was found in the data so far, if it is known; computed when called. */
  figures: () => DataFigures | undefined;
  /** What earlier processes of a resumed run had done. */
  before: { read: number; fraction: number | undefined };
  /** Where the current checkpoint would resume, if there is one. */
  resumePoint: () => ResumePoint | undefined;
}

/** What an observer sees of a run. */
export type RunView = Readonly<
  Pick<
    RunFacts,
    | ('attempt' | 'state' | 'service' | 'statistics' | 'rowCounts' | 'predictionType' | 'seconds')
    | ('figures' | 'columnsOf' | 'sample' | 'warn')
  >
>;

/** The targets that a run has locked: its summary, and its output unless there are several. */
export type LockedTargets = Pick<RunPaths, 'summary'> & Partial<RunPaths>;

/** What the requests of a run report. */
export interface RequestWatch {
  /** @param wait before the retry, in milliseconds */
  onRetry(failure: CallError, wait: number): void;
  trace: TraceRequest | undefined;
}

/**
 * Watches a run. Observers do not affect its result, with these exceptions: `begin` may refuse the run, a throw in any
 * other callback before `ended` stops it, and a warning becomes part of the summary. They are called in the order in
 * which they are listed. If one fails when a run begins or ends, the others are still called.
 */
export interface RunObserver {
  /** Called when the files of the run are locked and its id is known. */
  begin?(run: RunView, files: LockedTargets): Promise<void> | void;
  /** Runs what follows, for example as a part of a trace. */
  within?<T>(rest: () => Promise<T>): Promise<T>;
  /** Called while the run waits for its input: when that begins, and at each further look. */
  waiting?(waiting: Waiting): void;
  /** Called when it is known who predicts. */
  ready?(run: RunView, scorer: Pick<Scorer, 'name'>): void;
  /** Called when an unfinished run of different work was set aside, so that this one begins with the first row. */
  setAside?(): void;
  /** Called when the output is open, before the first row. */
  opened?(run: RunView): void;
  /** Called when an unfinished run is resumed. */
  resumed?(point: ResumePoint): void;
  /** Called after each piece of the output is written. */
  progress?(now: RunProgress): void;
  /** Called for each row that could not be scored. */
  rejected?(reject: Reject): void;
  /** Called once, for the first suspiciously long quoted field: it may have swallowed rows. */
  longField?(field: LongField): void;
  /** Called for what is suspicious about the input. */
  warned?(warning: InputWarning): void;
  /** Called before each wait for a retry, which is in milliseconds. */
  retried?(failure: CallError, wait: number): void;
  /** Called before the output is completed: waits for what the other callbacks have begun. */
  settled?(): Promise<void>;
  /** Called when the run was stopped early; unless it needs a restart, the same command resumes it. */
  suspended?(point: ResumePoint, needsRestart: boolean): void;
  /** Called when it is known how the rows of an earlier output are found. */
  reuses?(file: string, order: RowOrder): void;
  /** Called with a warning that the run itself has added to the summary. */
  noted?(warning: RunNote): void;
  /** Called when the output is complete, or was skipped, before the summary is written. */
  scored?(run: RunView, result: RunResult | undefined): void;
  /**
   * Called when the run has finished, was skipped, has stopped or was refused; the signal ends waiting for a FIFO's
   * reader.
   */
  ended?(summary: Summary, stop: AbortSignal): Promise<void> | void;
  /** Called with the reason if another observer could not write how a failed run has ended. */
  unwritten?(reason: string): void;
  /** Called when the process is about to end, so it must work synchronously. */
  exiting?(summary: Summary): void;
  /** Releases what `begin` has opened; called after the files of the run are released. */
  close?(): Promise<void> | void;
  /** Makes a batch a part of a trace; only that of the first observer that has it is used. */
  readonly traceBatch?: TraceBatch | undefined;
  /** Makes a request a part of a trace; only that of the first observer that has it is used. */
  readonly traceRequest?: TraceRequest | undefined;
}

/** The result of a run. */
export interface RunResult {
  rowCounts: RowCounts;
  /** The row at which an unfinished run was resumed. */
  resumedFrom: number | undefined;
  checksums: Checksums | undefined;
  /** What was found in the data; undefined if the report's profile has changed since the run began. */
  figures: DataFigures | undefined;
  /** The counts that it was made from. */
  tally: StoredTally | undefined;
  /** See `Summary.digest`; undefined if not all of the input was read. */
  digest: string | undefined;
  /** The bytes of output and rejects, if they are files. */
  written: WrittenExtents | undefined;
}
