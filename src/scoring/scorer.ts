import type { CallStatistics } from '../base/contract/call-statistics.ts';
import type { MissingStyle } from '../base/contract/limits.ts';
import type { PredictionType } from '../base/contract/predictions.ts';
import type { Description } from '../base/contract/schemas.ts';
import type { AppendedOptions } from '../formats/appended.ts';
import type { LearnedColumn } from '../formats/columns/column-encoder.ts';
import type { Layout } from '../formats/format.ts';
import type { Batch } from '../formats/records/batch.ts';
import type { Fault } from '../formats/records/faults.ts';
import type { Position } from '../formats/records/position.ts';
import type { Counting } from './counting/counted-column.ts';
import type { Tally } from './counting/tally.ts';
import type { RetryPolicy } from './failures/attempts.ts';
import type { Failure } from './failures/call-error.ts';
import type { FeatureColumn } from './feature-columns.ts';
import type { ReceivedPredictions } from './predictions.ts';
import type { CopiedRows } from './reuse/copied-rows.ts';

/** The name of a scorer with the reports of this machine, and what `--url` takes for it. */
export const LOCAL = 'local';

/** A source of predictions: a service over HTTP, or a model in this process. */
export interface Scorer {
  /** For messages, and part of a run's identity. */
  readonly name: string;
  /** The protocol that it speaks with a service, part of a run's identity; by default, `defaultProtocol`. */
  readonly protocol?: string;
  /**
   * Whether the last digit of a prediction may depend on which rows share its request. Batches then begin at rows that
   * follow a multiple of their size, and a run resumes only where one begins, so that it makes the same requests.
   */
  readonly dependsOnBatch?: boolean | undefined;
  /** Statistics of its requests, if it makes any. */
  readonly statistics?: CallStatistics;
  /** What the report says about its columns and classes. */
  describe(report: string): Promise<Description>;
  /** How the model of a report that was described reads its columns, if it is on this machine. */
  learnedColumns?(report: string): readonly LearnedColumn[] | undefined;
  /**
   * Finds what cannot be sent to it, before anything is written.
   *
   * @throws RowcastError `bad_option`
   */
  check?(sent: Pick<ScorerInput, 'report' | 'features' | 'nulls' | 'missing'>): void;
  /** Starts scoring an input. */
  open(input: ScorerInput): BatchScorer;
}

/** A scorer, until it is closed. */
export interface OpenScorer<S extends Scorer = Scorer> {
  scorer: S;
  close(): Promise<void>;
}

/** A scorer that several runs use at the same time. */
export interface SharedScorer extends Scorer {
  /**
   * A scorer for one of the runs, with statistics of its own.
   *
   * @param described a report of this machine that was described: all of these runs use its model as it was then, also
   *   if it is trained again meanwhile
   */
  forRun(described?: string): OpenScorer;
}

/** What all batches of an input have in common. */
export interface ScorerInput {
  report: string;
  /** The columns to send. */
  features: readonly FeatureColumn[];
  layout: Layout;
  /** Values treated as missing, in addition to the empty one. */
  nulls: readonly string[];
  /** How a missing value is written in a request, if the user says so. */
  missing?: MissingStyle | undefined;
  /** Maximum size of a request body. */
  batchBytes: number;
  /** The classes that options or the report's description name. */
  classes?: readonly string[] | undefined;
  /** The columns to append, unless the classes are known only with the first predictions. */
  appended: AppendedOptions | undefined;
  /** What is counted, if anything is. */
  counting?: Counting | undefined;
}

/**
 * Scores the batches of one input. Requests and results of `tryPart` are plain data, which structured cloning copies,
 * so a scorer may do its work in another thread.
 */
export interface BatchScorer {
  /** The current number of attempts at once that gives the best throughput. */
  readonly concurrency: number;
  /** How failed attempts are handled; without it, every failure is final. */
  readonly retryPolicy?: RetryPolicy | undefined;
  /** Whether batches are passed to other threads: the input is then read into memory that threads share. */
  readonly sharesMemory?: boolean;
  /** The maximum number of rows of a batch, unless the user gives one. */
  readonly batchRows: number;
  /** The maximum size of a batch as the reader estimates it: record bytes and `rowOverhead` for each row. */
  maxBatchBytes(): number;
  readonly rowOverhead: number;
  /** Cuts a batch into parts of which each is suitable for one attempt. */
  parts(batch: Batch): Iterable<Batch>;
  /** Whether what predicts says that it is ready; true if it says nothing. */
  isReady?(signal: AbortSignal): Promise<boolean>;
  /** The body of the request for a part, if there is one. */
  requestOf?(part: Batch): string;
  /** Bytes of memory that a part needs until it is released, in addition to its records. */
  memoryOf(part: Batch): number;
  /** Tries to score a part, once. @throws only if it was aborted, or because of a bug */
  tryPart(request: PartRequest, signal: AbortSignal): Promise<Outcome>;
  /** No further attempt will be made for this part, so its memory can be reused. Calling it is optional. */
  release(part: Batch): void;
  /**
   * Called just before rows are written from these predictions.
   *
   * @returns false if the rows must be scored again
   * @throws RowcastError if rows that were written earlier have turned out to be wrong
   */
  confirm(predictions: ReceivedPredictions, row: number): boolean;
  /** Confirms all rows, at the end of a run. */
  confirmAll(): Promise<void>;
  /** The rows before an input offset were written, so the memory of `merged` can be reused. */
  written?(offset: number): void;
  /** No further attempt will be made. */
  close?(): void;
}

export interface PartRequest {
  /** The records: their bytes, ends and kinds. */
  readonly batch: Batch;
  /** What the output's header says, once known; predictions must consist of the same. */
  readonly predictionType: PredictionType | undefined;
  /** Whether these rows are what is left after halving a batch: all of their predictions may be invalid. */
  readonly allowAllInvalid?: boolean;
}

/** The result of an attempt: predictions for the well-formed records, or the reason for their absence. */
export type Outcome = Scored | Failed;

export interface Scored {
  /** Index of a malformed record → its fault; such records get no prediction. */
  readonly faults: ReadonlyMap<number, Fault>;
  readonly predictions: ReceivedPredictions;
  /** How many of the rows with an error were not sent. */
  readonly unsent?: number;
  /**
   * The records with the appended fields, if the scorer has merged them itself; its predictions are without values
   * then.
   */
  readonly merged?: MergedRecords;
  /** What was counted in each of the pieces that `Members.piecesOf` names, if the scorer counts. */
  readonly tallies?: readonly Tally[];
}

/** What a batch becomes in the output. */
export interface MergedRecords {
  readonly bytes: Buffer;
  /** Offsets in `bytes` after each of the pieces that `Members.piecesOf` names. */
  readonly ends: readonly number[];
}

export interface Failed {
  readonly faults: ReadonlyMap<number, Fault>;
  readonly failure: Failure;
}

/** A batch with its predictions: all that merging needs. */
export interface ScoredBatch extends Scored {
  readonly batch: Batch;
  /** What is copied for rows whose predictions were known, which have no values then. */
  readonly copied?: CopiedRows;
}

/**
 * All feedback from later stages to earlier ones. All other data flows forward. (A scorer keeps its own: how large a
 * request may be, and which buffers it can reuse.)
 */
export interface Feedback {
  /** From merging to attempts: what the output's header says, once known; all predictions must consist of the same. */
  predictionType(): PredictionType | undefined;
  /** From attempts to reading: how large a batch may be. */
  maxBatchBytes(): number;
  /** From writing to reading: the records before this position were written, so their buffers can be reused. */
  releaseRecords(before: Position): void;
}

/** A request as a trace describes it. */
interface TracedRequest {
  method: string;
  /** Without user info and query. */
  url: string;
  /** The path below the service's URL, without the parts that vary. */
  template: string;
  /** An object that all attempts of a request share, and no other request has. */
  identity: object;
}

/**
 * Sends a request, once, as a part of a trace.
 *
 * @param send sends it with these headers
 */
export type TraceRequest = <T>(
  request: TracedRequest,
  send: (headers: Readonly<Record<string, string>>) => Promise<T>,
) => Promise<T>;

/**
 * Scores a batch as a part of a trace.
 *
 * @param batch the number of its first row, and how many it has
 */
export type TraceBatch = <T>(
  batch: { readonly row: number; readonly rows: number },
  score: () => Promise<T>,
) => Promise<T>;
