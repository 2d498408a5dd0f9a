import type { RejectLimit } from '../config/reject-limit.ts';

/** What a scoring run does, with every default filled in: the option table's meaning. */
export interface ScoreOptions {
  /** A path, or `-` for stdin. */
  input: string;
  /** A path, or `-` for stdout. */
  output: string;
  /** The report's id. */
  report: string;

  /** Most rows in a call. */
  batchRows: number;
  /** Most bytes of a call's body. */
  batchBytes: number;

  /** One ASCII character or `tab`; undefined: by the input's name. */
  delimiter?: string | undefined;
  /** One ASCII character or `none`; undefined: by the input's name. */
  quote?: string | undefined;
  maxRecordBytes: number;
  /** Most rows to score. */
  limit?: number | undefined;

  columns?: readonly string[] | undefined;
  drop?: readonly string[] | undefined;
  allowMissing: boolean;
  /** Column → type, over what the report says. */
  types?: Readonly<Record<string, string>> | undefined;
  /** Spellings of a missing value beside the empty one. */
  nulls: readonly string[];
  /** The classes in the order of their columns, over what the report says. */
  classes?: readonly string[] | undefined;

  /** First part of the probability columns' names. */
  prefix: string;
  /** Whether the likeliest class is appended too. */
  prediction: boolean;

  /** Where rejects go; undefined: beside the output, or, with stdout as output, to `onReject` alone. */
  rejects?: string | undefined;
  /** The run stops when more rows are rejected. */
  maxRejects?: RejectLimit | undefined;

  /** What is to be done about an OUTPUT that is there. */
  ifExists: 'replace' | 'fail' | 'skip';
  /** Whether an unfinished run is thrown away. */
  restart: boolean;
  /** Seconds between two checkpoints, at least. */
  checkpointSeconds: number;
  /** Whether SHA-256 of input and output is told. */
  checksum: boolean;
}
