import type { Features, LooseReport, Prediction } from '../base/contract/schemas.ts';

/**
 * What predicts: a `LocalScorer`, a `Client`, or an object of your own. `score` calls an own one with batches of
 * personas, several at a time, and writes the predictions in input order.
 */
export interface ProgramScorer {
  /** For messages, and part of a run's identity: a run does not resume with a scorer of another name. */
  readonly name: string;
  /**
   * What the report says of its classes and columns. Without `columns`, all columns of the input are sent; without
   * `classes`, they are those of the first prediction.
   *
   * @throws RowcastError if there is no such report
   */
  report(id: string): Promise<Partial<LooseReport>>;
  /**
   * The predictions of a batch.
   *
   * @param signal aborted when nobody waits for the result any more
   * @throws RowcastError with severity `temporary` to be called again until `maxOutage` is over; any other error stops
   *   the run with the code `scorer_failed`
   */
  score(batch: PersonaBatch, signal?: AbortSignal): Promise<BatchOutcome>;
  /** Frees what it holds. `score` does not call it. */
  close(): Promise<void>;
}

/** Personas to predict for, with one report. */
export interface PersonaBatch {
  readonly report: string;
  readonly personas: readonly Features[];
}

/**
 * One prediction for each persona, in their order: probabilities from 0 to 1 that sum to 1, with the same classes in
 * each; or a label; or a number; or several numbers, with the same names in each. An error rejects the row.
 */
export type BatchOutcome = readonly Prediction[];
