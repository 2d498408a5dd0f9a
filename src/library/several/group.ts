import type { RequestWatch, RunObserver, RunView } from '../../runs/observer.ts';
import type { DriftLine } from '../../runs/observers/drift.ts';
import type { RunsTotal } from '../../runs/observers/total.ts';
import type { RunJob } from '../../runs/run.ts';
import type { RunControl } from '../../runs/run-control.ts';
import type { FilePair } from '../../runs/several/pair-files.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import type { OpenScorer, Scorer, SharedScorer } from '../../scoring/scorer.ts';

/** Several inputs that are scored together, of which nothing has been touched yet. */
export interface FileGroup {
  job: RunJob;
  control: RunControl;
  watch: FilesWatch;
  /** Opens what predicts for all of them. */
  openScorer(requests: RequestWatch): Promise<OpenScorer<SharedScorer>>;
}

/** What is told about the files of a group. */
export interface FilesWatch {
  /** Watch the group as if it were one run. */
  readonly observers: readonly RunObserver[];
  /** @param stop ends the run of the file */
  ofFile(file: FilePair, stop: AbortSignal): FileWatch;
  /** The ledger cannot be read, so all files are scored. */
  ledgerUnreadable(path: string, error: Error): void;
  /** The ledger cannot be written, so the next command scores the files again. */
  ledgerNotWritten(error: Error): void;
  /** The files are counted and the scorer is open. */
  opened(files: number, scorer: Scorer): void;
  /** The first file is about to be scored. */
  started(total: RunsTotal): void;
  /** Nothing more is scored, whatever the reason. */
  scored(): void;
  /** The values or probabilities have changed since the run of --compare. */
  drifted(line: DriftLine): void;
  /** The group was stopped; the same command goes on with it. */
  suspended(): void;
  /** @param rejectedBefore rows that were rejected when the files that are unchanged now were scored */
  finished(summary: Summary, rejectedBefore: number): void;
}

/** What is told about one of the files. */
export interface FileWatch {
  readonly observers: readonly RunObserver[];
  /** The run of the file is about to be executed. */
  begin(run: RunView): void;
  /** The file cannot be scored. */
  failed(error: unknown): void;
  /** The run of the file was executed, whatever became of it. */
  end(run: RunView): void;
}
