import { numbersPerRow, type Predictions, type PredictionType } from '../base/contract/predictions.ts';

/** Predictions as a scorer returns them. */
export type ReceivedPredictions<P extends Predictions = Predictions> = P & {
  /** Ids of the responses' origins, unless the responses are known to belong to their requests. */
  readonly origins?: readonly number[];
};

/** What predictions consist of; undefined if no persona was scored, so that nothing says so. */
export function predictionTypeOf(predictions: Predictions): PredictionType | undefined {
  switch (predictions.kind) {
    case 'distribution': {
      const { kind, classes } = predictions;
      return classes.length === 0 ? undefined : { kind, classes };
    }
    case 'label': {
      const { kind, indices, errors } = predictions;
      return errors.size === indices.length ? undefined : { kind };
    }
    case 'numbers': {
      const { kind, names, values, errors } = predictions;
      return errors.size * numbersPerRow(names) === values.length ? undefined : { kind, names };
    }
  }
}

/** The classes of a distribution; none for predictions of another kind. */
export const classesOf = (predictionType: PredictionType | undefined): readonly string[] =>
  predictionType?.kind === 'distribution' ? predictionType.classes : [];
