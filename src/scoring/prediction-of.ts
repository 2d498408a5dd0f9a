import { numbersPerRow, type Predictions } from '../base/contract/predictions.ts';
import type { Prediction } from '../base/contract/schemas.ts';

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
