import type { Predictions } from '../base/contract/predictions.ts';

/** Predictions as a scorer returns them. */
export interface ReceivedPredictions extends Predictions {
  /** Ids of the responses' origins, unless the responses are known to belong to their requests. */
  readonly origins?: readonly number[];
}
