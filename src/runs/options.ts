import type { RejectLimit } from '../config/reject-limit.ts';

/** The options of a scoring run, with all defaults filled in. */
export interface ScoreOptions {
  /** A path or `-` for stdin. */
  input: string;
  /** A path or `-` for stdout. */
  output: string;
  /** Report id. */
  report: string;

  /** Maximum number of rows per request. */
  batchRows: number;
  /** Maximum size of a request body. */
  batchBytes: number;

  /** One ASCII character or `tab`; undefined: depends on the input's extension. */
  delimiter?: string | undefined;
  /** One ASCII character or `none`; undefined: depends on the input's extension. */
  quote?: string | undefined;
  maxRecordBytes: number;
  /** Score only this many rows. */
  limit?: number | undefined;

  columns?: readonly string[] | undefined;
  drop?: readonly string[] | undefined;
  allowMissing: boolean;
  /** Column → type; overrides the report. */
  types?: Readonly<Record<string, string>> | undefined;
  /** Values treated as missing, in addition to the empty one. */
  nulls: readonly string[];
  /** Classes in output column order; overrides the report. */
  classes?: readonly string[] | undefined;

  /** Prefix of the probability column names. */
  prefix: string;
  /** Whether to append the most likely class. */
  prediction: boolean;

  /** Path of the rejects file; undefined: next to the output, or with stdout as output, only `onReject`. */
  rejects?: string | undefined;
  /** The run stops when more rows than this are rejected. */
  maxRejects?: RejectLimit | undefined;

  /** What to do if OUTPUT exists. */
  ifExists: 'replace' | 'fail' | 'skip';
  /** Whether to discard an unfinished run. */
  restart: boolean;
  /** Minimum time between checkpoints, in seconds. */
  checkpointSeconds: number;
  /** Whether to compute the SHA-256 of input and output. */
  checksum: boolean;
}
