import type { PredictionType } from '../../base/contract/predictions.ts';
import type { RowCounts } from '../../scoring/row-counts.ts';
import type { ColumnFigures, DriftFigures, LabelFigures, ScoreFigures } from '../drift/compare.ts';
import type { LastRun } from './last-run.ts';

/** SHA-256 of the whole input and output, hex, as printed by `sha256sum`. */
export interface Checksums {
  /** The checksum of the input; null if it was not read to its end. */
  input: string | null;
  output: string;
}

/** How a run ended. */
export interface Ending {
  status: 'finished' | 'skipped' | 'stopped' | 'refused';
  /** The exit code; null if the run was not made by a command. */
  exitCode: number | null;
  /** Why it did not finish. */
  error: RunError | null;
  finishedAt: Date;
}

/** A machine-readable error; unknown members are null. */
export interface RunError {
  code: string;
  message: string;
  hint: string | null;
  /** Whether the same command may succeed later, although nobody changes anything. */
  retryable: boolean;
  file: string | null;
  line: number | null;
  row: number | null;
}

/** What was logged as a warning about the data. */
export interface RunWarning {
  code: string;
  message: string;
}

/** A warning of the run itself, which is also an event of the log. */
export interface RunNote extends RunWarning {
  code:
    | ('no_comparison' | 'same_as_last' | 'last_run_not_kept' | 'ledger_unreadable')
    | ('nothing_to_reuse' | 'reuse_without_version' | 'reuse_not_kept');
}

/** What is known about a run before it starts. */
export interface RunNames {
  /** The version of rowcast; null if the run was not made by a command. */
  version: string | null;
  /** Names of input and output for display: paths, `stdin`, `stdout`. */
  input: string;
  output: string;
  /** Where rejects go; null if to no file. Unless it was named, the file exists only if there are rejects. */
  rejects: string | null;
  hasNamedRejects: boolean;
  report: string | null;
  /** Options that differ from the default, by name, except those that have a member of their own. */
  options: Readonly<Record<string, unknown>>;
}

/**
 * The file that `--summary` writes. `format` is incremented when a member changes its meaning or is removed; members
 * may be added. Rows, calls and bytes are totals over all processes of a resumed run, each up to its last checkpoint:
 * work that a killed process did after that is repeated and counted once. Seconds, rate and latency are of this
 * process; those of a run in shards are of all its workers, as far as its shards have a result, and its latency is not
 * known.
 */
export interface Summary {
  format: 1;
  version: string | null;
  /** Identifies the run; all processes of a resumed run have the same. */
  run_id: string;
  /** Written as `running` at the start, so that a killed run does not leave the summary of an earlier one. */
  status: 'running' | Ending['status'];
  /** Null while the run is in progress, and if it was not made by a command. */
  exit_code: number | null;
  error: RunError | null;
  /** ISO 8601; start of the first process. */
  started_at: string;
  finished_at: string | null;
  /** Processes of the run. */
  attempts: number;
  /** The row at which an unfinished run was resumed, or null. */
  resumed_from_row: number | null;
  input: string;
  output: string;
  rejects: string | null;
  service: string | null;
  /** How the service was asked. */
  protocol: string;
  report: string | null;
  /** The classes of a distribution, in the order of the output; none for other predictions, or if not known yet. */
  classes: readonly string[];
  /** What each prediction consists of; null if that is not known yet. A single number has no name. */
  prediction: PredictionType | null;
  options: Readonly<Record<string, unknown>>;
  rows: {
    read: number;
    scored: number;
    /** Those of the scored rows whose predictions were copied; not there without --reuse. */
    reused?: number;
    /** Those with the prediction of an equal row, which was sent; not there without --dedupe. */
    equal?: number;
    rejected: number;
    rejected_by: Record<string, number>;
  };
  /** What the reused and equal rows would have cost, by --price-per-1000; not there without it. */
  saved?: number;
  blank_lines: number;
  batches: number;
  calls: number;
  /** Failure code → requests that were retried. */
  retries: Record<string, number>;
  bytes_in: number;
  bytes_out: number;
  seconds: number;
  rows_per_second: number;
  /** Latency of successful requests in milliseconds; null if there were none. */
  latency_ms: { p50: number; p95: number; p99: number } | null;
  sha256: Checksums | null;
  /**
   * Tells the bytes of the input from others, in a form of its own; null if they are not known, or not all were read.
   */
  digest: string | null;
  /** What was found in the columns; null if nothing was counted. */
  columns: readonly ColumnFigures[] | null;
  /** By class, or by predicted number; null for labels, and if nothing was counted. */
  scores: Readonly<Record<string, ScoreFigures>> | null;
  /** The predicted labels; null for other predictions, and if nothing was counted. */
  labels: LabelFigures | null;
  /** Changes since the run of --compare; null without it. */
  drift: DriftFigures | null;
  warnings: readonly RunWarning[];
  /**
   * The last good run of the same output; null if none is known, or if this one has finished: it is the last one then.
   */
  last: LastRun | null;
  /** For several files, the summary of each; the other members are totals then. */
  runs: Summaries | null;
}

/** Summaries in an order: an array, or what reads them one after the other from where they are kept. */
export interface Summaries extends Iterable<Summary> {
  readonly length: number;
}

/** The members of a summary that row counts have. */
export const summaryCounts = ({ read, scored, reused, equal, rejected, ...counts }: RowCounts) => ({
  rows: {
    read,
    scored,
    ...(reused !== undefined && { reused }),
    ...(equal !== undefined && { equal }),
    rejected,
    rejected_by: counts.rejectedBy,
  },
  blank_lines: counts.blank,
  batches: counts.batches,
  calls: counts.calls,
  retries: counts.retries,
  bytes_in: counts.bytesIn,
  bytes_out: counts.bytesOut,
});

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
