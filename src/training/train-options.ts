import type { RejectLimit } from '../base/options/values/reject-limit.ts';
import type { ColumnChoices } from './rows/learn-columns.ts';

export interface TrainOptions extends ColumnChoices {
  /** A CSV of labelled rows, plain, gzip or zstd; `-` is stdin. */
  historyFile: string;
  /** The paths of files whose rows follow, with the same columns in any order. */
  furtherFiles?: readonly string[] | undefined;
  /** The column to predict. */
  predict: string;
  /** By default derived from the names of the first file and the column. */
  id?: string;
  /** Texts that mean a missing value, in addition to the empty one; the report keeps them for scoring. */
  nulls?: readonly string[] | undefined;
  /** How many malformed rows to leave out, as a number or a percentage; by default none, so the first one is an error. */
  maxRejects?: RejectLimit | undefined;
  /** What to do if there is a report with that id; by default `fail`, or as `byDefinition` says. */
  ifExists?: 'fail' | 'replace' | 'skip' | 'skip-unchanged' | undefined;
  /**
   * Whether a definition trains the report. By default it keeps a report that was trained from the same history with the
   * same options, replaces another one that a definition has trained, and refuses to replace any other.
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
  /** The number of ranges to divide a numeric column into, to predict the range; without it, amounts are rejected. */
  bins?: number;
  /** By default derived from the file's name; see `dialectOf`. */
  delimiter?: string;
  /** By default `"`, or none for `.tsv`; `none` for a file without quoting. */
  quote?: string;
  /** The character that escapes a quote within quotes; by default, the quote itself does. */
  escape?: string | undefined;
  /** The number of lines before the header. */
  skipLines?: number | undefined;
  /** The columns of a file without a header line. */
  names?: readonly string[] | undefined;
  /** By default UTF-8. */
  encoding?: string | undefined;
  /** How object stores are reached. */
  storeOptions?: Readonly<Record<string, string>> | undefined;
  /** The format of the file; by default that of its name, else of its first bytes. */
  inputFormat?: string | undefined;
  /** The most bytes that a row group of Parquet may take, uncompressed; by default 512 MiB. */
  maxGroupBytes?: number | undefined;
  /** The longest record; by default 1 MiB. */
  maxRecordBytes?: number;
  /** Called with a short description of the next step. */
  onStep?: (step: string) => void;
  /** Aborts the training without writing anything. */
  signal?: AbortSignal;
}
