import { numbersPerRow, type Predictions, type PredictionType } from '../base/contract/predictions.ts';
import type { Prediction } from '../base/contract/schemas.ts';

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

/** What is predicted for one persona of a batch, as a program gets it. */
export function predictionOf(predictions: Predictions, row: number): Prediction {
  const error = predictions.errors.get(row);
  if (error !== undefined) return { error };
  switch (predictions.kind) {
    case 'distribution':
      return { probabilities: byName(predictions.classes, predictions.probabilities, row) };
    case 'label':
      return { label: predictions.labels[predictions.indices[row] ?? -1] ?? '' };
    case 'numbers': {
      const { names, values } = predictions;
      return names.length === 0
        ? { value: values[row * numbersPerRow(names)] ?? Number.NaN }
        : { values: byName(names, values, row) };
    }
  }
}

function byName(names: readonly string[], values: Float64Array, row: number): Record<string, number> {
  const own = names.map((name, index) => [name, values[row * names.length + index] ?? Number.NaN]);
  return Object.fromEntries(own);
}
