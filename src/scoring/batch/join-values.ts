import { numbersPerRow, type Predictions, type PredictionType } from '../../base/contract/predictions.ts';

/** Predictions, and the index of their first persona among all that are joined. */
export interface PlacedPredictions {
  predictions: Predictions;
  from: number;
}

/** Joins the values of predictions that consist of `predictionType`. A persona of none of them has no value. */
export function joinValues(
  predictionType: PredictionType,
  parts: readonly PlacedPredictions[],
  personas: number,
): Predictions {
  const errors = new Map();
  switch (predictionType.kind) {
    case 'distribution': {
      const probabilities = new Float64Array(personas * predictionType.classes.length).fill(Number.NaN);
      for (const { predictions, from } of parts)
        if (predictions.kind === 'distribution')
          probabilities.set(predictions.probabilities, from * predictionType.classes.length);
      return { ...predictionType, probabilities, errors };
    }
    case 'numbers': {
      const values = new Float64Array(personas * numbersPerRow(predictionType.names)).fill(Number.NaN);
      for (const { predictions, from } of parts)
        if (predictions.kind === 'numbers')
          values.set(predictions.values, from * numbersPerRow(predictionType.names));
      return { ...predictionType, values, errors };
    }
    case 'label': {
      const indices = new Int32Array(personas).fill(-1);
      const labels: string[] = [];
      for (const { predictions, from } of parts) {
        if (predictions.kind !== 'label') continue;
        const known = labels.length;
        labels.push(...predictions.labels);
        indices.set(
          predictions.indices.map(index => (index === -1 ? -1 : index + known)),
          from,
        );
      }
      return { ...predictionType, labels, indices, errors };
    }
  }
}
