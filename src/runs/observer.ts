import type { Reject } from '../formats/csv/reject-records.ts';
import type { LongField } from '../formats/records/long-field.ts';
import type { Accounts } from '../scoring/row-counts.ts';
import type { TraceBatch } from '../scoring/trace.ts';
import type { Attempt } from './attempt.ts';
import type { DataFigures } from './drift/figures.ts';
import type { RunColumns } from './observers/lineage/run-columns.ts';
import type { ResumePoint } from './output/output.ts';

/** The progress of a run. */
export interface RunProgress {
  /** Totals over all processes of a resumed run. */
  accounts: Accounts;
  /** Fraction of the work that is done, if known: of the `--limit` rows, or of a plain file's bytes. */
  fraction: number | undefined;
  /** The classes of the output's header; none until it is written. */
  classes: readonly string[];
  /** What was found in the data so far, if it is known; computed when called. */
  figures: () => DataFigures | undefined;
  /** What earlier processes of a resumed run had done. */
  before: { read: number; fraction: number | undefined };
  /** Where the current checkpoint would resume, if there is one. */
  resumePoint: () => ResumePoint | undefined;
}

/** Callbacks of a run, and the signal that stops it. */
export interface RunObserver {
  /** Called when the output is open, before the first row: this process of the run. */
  onBegin?: (attempt: Attempt, columns: RunColumns) => void;
  /** Called after each part is written. */
  onProgress?: (progress: RunProgress) => void;
  /** Called for each row that could not be scored. */
  onReject?: (reject: Reject) => void;
  /** Called once, for the first suspiciously long quoted field: it may have swallowed rows. */
  onLongField?: (field: LongField) => void;
  /** Called when an unfinished run of different work was set aside, so that this one begins with the first row. */
  onSetAside?: () => void;
  /** Called when an unfinished run is resumed. */
  onResume?: (resumePoint: ResumePoint) => void;
  /** Called when a run was stopped early; unless it needs a restart, the same command resumes it. */
  onSuspend?: (resumePoint: ResumePoint, needsRestart: boolean) => void;
  /** Called before the output is completed: waits for what the other callbacks have begun. */
  settled?: () => Promise<void>;
  /** Called for each batch that is scored. */
  traceBatch?: TraceBatch;
  /** Stops the run: in-flight requests get up to ten seconds to finish, then the checkpoint is saved. */
  stop?: AbortSignal;
  /** Cancels in-flight requests at once, if the run is stopped and nobody waits for their rows. */
  cancel?: AbortSignal;
}
