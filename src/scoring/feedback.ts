import type { PredictionType } from '../base/contract/predictions.ts';
import type { Position } from '../formats/records/position.ts';

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
