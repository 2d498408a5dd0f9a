import type { ColumnFigures } from '../drift/figures.ts';
import type { ScoreFigures } from '../drift/score-figures.ts';

/** The facts of a good run: one that has finished, and had rows. The members are those of its summary. */
export interface LastRun {
  run_id: string;
  exit_code: number | null;
  /** Null if it is not known any more. */
  started_at: string | null;
  finished_at: string;
  input: string;
  output: string;
  report: string | null;
  /** The rows of all files, also of those that were skipped because they had not changed. */
  rows: { read: number; scored: number; rejected: number };
  columns: readonly ColumnFigures[] | null;
  scores: Readonly<Record<string, ScoreFigures>> | null;
  /** The run, and the rows, that columns and scores are of; not there if they are of all rows of this one. */
  counted?: CountedRun | undefined;
  /** The `digest` of each input that had rows. */
  digests: readonly string[];
}

/** The facts of a run whose columns and scores are compared. */
export interface CountedRun
  extends Pick<LastRun, 'run_id' | 'started_at' | 'finished_at' | 'input' | 'report'> {
  rows: { read: number };
}

/** Where the last good run of an output is known from. */
export interface RunMemory {
  /**
   * It never throws: what cannot be read is not known.
   *
   * @param note called if it is there and cannot be read
   */
  read(
    note?: (warning: { code: 'ledger_unreadable'; message: string }) => void,
  ): Promise<LastRun | undefined>;
  /** Not there if the summary is all that is kept. */
  write?(run: LastRun): Promise<void>;
}
