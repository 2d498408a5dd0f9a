import type { Predictions, PredictionType } from '../base/contract/predictions.ts';

/** Predictions as a scorer returns them. */
export type ReceivedPredictions<P extends Predictions = Predictions> = P & {
  /** Ids of the responses' origins, unless the responses are known to belong to their requests. */
  readonly origins?: readonly number[];
};

/** What predictions consist of; undefined if they do not say so, because there is none or the service rejected all. */
export function predictionTypeOf(predictions: Predictions): PredictionType | undefined {
  switch (predictions.kind) {
    case 'distribution': {
      const { kind, classes } = predictions;
      return classes.length === 0 ? undefined : { kind, classes };
    }
    case 'label': {
      const { kind, indices } = predictions;
      return indices.length === 0 ? undefined : { kind };
    }
    case 'numbers': {
      const { kind, names, values } = predictions;
      return values.length === 0 ? undefined : { kind, names };
    }
  }
}
