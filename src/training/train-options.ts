import type { HistoryOptions } from './rows/read-history.ts';

/** How a report is trained, and how its training data is read. */
export interface TrainingOptions
  extends Omit<HistoryOptions, 'seed' | 'maxRecordBytes' | 'formats' | 'columns' | 'named' | 'names'> {
  /** By default derived from the names of the first file and the column. */
  id?: string | undefined;
  /** What to do if there is a report with that id; by default `fail`, or as `byDefinition` says. */
  ifExists?: 'fail' | 'replace' | 'skip' | 'skip-unchanged' | undefined;
  /**
   * Whether a definition trains the report. By default it keeps a report that was trained from the same history with
   * the same options, replaces another one that a definition has trained, and refuses to replace any other.
   */
  byDefinition?: boolean;
  /** Called before the history is read to train on it. */
  onBegin?: () => void;
  /** Called with the id if the training is skipped. @param isUnchanged whether it would make the same report again */
  onSkip?: (id: string, isUnchanged: boolean) => void;
  /** Called with the id and the reasons, one short clause each, if a report is trained again because of them. */
  onChanged?: (id: string, changes: readonly string[]) => void;
  /** The data directory; reports are stored in its folder `reports`. */
  home: string;
  /** The seed of everything random: the same data and seed give the same report. By default 1. */
  seed?: number;
  /** The columns of a file without a header line. */
  names?: readonly string[] | undefined;
  /** The longest record; by default 1 MiB. */
  maxRecordBytes?: number;
  /** Called with a short description of the next step. */
  onStep?: ((step: string) => void) | undefined;
  /** Aborts the training without writing anything. */
  signal?: AbortSignal;
}
