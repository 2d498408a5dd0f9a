import { numbersPerRow, type Outputs, type Predictions } from '../../base/contract/predictions.ts';

/** Predictions, and the index of their first persona among all that are joined. */
export interface PlacedPredictions {
  predictions: Predictions;
  from: number;
}

/** Predictions that consist of `outputs`, one after the other. Those of another kind have no values, only errors. */
export function joinValues(
  outputs: Outputs,
  parts: readonly PlacedPredictions[],
  personas: number,
): Predictions {
  const errors = new Map();
  switch (outputs.kind) {
    case 'distribution': {
      const probabilities = new Float64Array(personas * outputs.classes.length).fill(Number.NaN);
      for (const { predictions, from } of parts)
        if (predictions.kind === 'distribution')
          probabilities.set(predictions.probabilities, from * outputs.classes.length);
      return { ...outputs, probabilities, errors };
    }
    case 'numbers': {
      const values = new Float64Array(personas * numbersPerRow(outputs.names)).fill(Number.NaN);
      for (const { predictions, from } of parts)
        if (predictions.kind === 'numbers')
          values.set(predictions.values, from * numbersPerRow(outputs.names));
      return { ...outputs, values, errors };
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
      return { ...outputs, labels, indices, errors };
    }
  }
}
