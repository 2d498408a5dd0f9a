import type { Statistics } from '../api/client.ts';
import type { Accounts } from './accounts.ts';

/** SHA-256 of whole inputs and outputs, hex, as `sha256sum` tells them. */
export interface Checksums {
  /** Null where the input was not read to its end. */
  input: string | null;
  output: string;
}

export interface SummaryOptions {
  /** What was scored where to, for people: paths, `stdin`, `stdout`. */
  input: string;
  output: string;
  service: string;
  report: string;
  accounts: Accounts;
  resumedFrom: number | undefined;
  /** Of this process alone. */
  seconds: number;
  statistics: Statistics;
  checksums: Checksums | undefined;
}

/**
 * What `--summary` writes. `format` counts up whenever a member changes its meaning or goes; members may be added.
 * Rows, calls and bytes are those of all processes that a resumed run took; seconds, rate and latency are this one's.
 */
export interface Summary {
  format: 1;
  input: string;
  output: string;
  service: string;
  report: string;
  rows: { read: number; scored: number; rejected: number; rejected_by: Record<string, number> };
  blank_lines: number;
  batches: number;
  calls: number;
  /** Code of the failure → calls that were tried again. */
  retries: Record<string, number>;
  bytes_in: number;
  bytes_out: number;
  seconds: number;
  rows_per_second: number;
  /** Milliseconds of the calls that succeeded; null where there was none. */
  latency_ms: { p50: number; p95: number; p99: number } | null;
  /** The row that an unfinished run was taken up with. */
  resumed_from_row: number | null;
  sha256: Checksums | null;
}

export function summaryOf(options: SummaryOptions): Summary {
  const { accounts, resumedFrom, seconds, statistics, checksums, ...names } = options;
  const { read, scored, rejected, rejectedBy, blank, batches, calls, retries, bytesIn, bytesOut } = accounts;
  const { latency } = statistics;
  return {
    format: 1,
    ...names,
    rows: { read, scored, rejected, rejected_by: rejectedBy },
    blank_lines: blank,
    batches,
    calls,
    retries,
    bytes_in: bytesIn,
    bytes_out: bytesOut,
    seconds: Math.round(seconds * 1000) / 1000,
    rows_per_second: seconds > 0 ? Math.round((read - (resumedFrom ?? 1) + 1) / seconds) : 0,
    latency_ms:
      latency.count === 0
        ? null
        : { p50: latency.percentile(50), p95: latency.percentile(95), p99: latency.percentile(99) },
    resumed_from_row: resumedFrom ?? null,
    sha256: checksums ?? null,
  };
}
