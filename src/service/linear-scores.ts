import type { LinearSpec } from './predictor-spec.ts';
import type { AddScores } from './tree-scores.ts';

/**
 * A linear model, ready to score.
 *
 * @throws Error for weights of another number of features or scores
 */
export function linearScores({ base, features }: LinearSpec, width: number, stride: number): AddScores {
  const lists = features.flatMap(each =>
    each.kind === 'number' ? [each.weights, each.missing] : each.levels,
  );
  if (features.length !== width || [base, ...lists].some(list => list.length !== stride))
    throw new Error('its weights are not whole');
  return (values, rows, scores) => {
    features.forEach((feature, place) => {
      for (let row = 0; row < rows; row++) {
        const value = values[row * width + place] as number;
        let factor = 1;
        let weights: readonly number[] | undefined;
        if (feature.kind === 'levels')
          weights = feature.levels[Number.isNaN(value) ? 0 : value] ?? feature.levels[0];
        else if (Number.isNaN(value)) weights = feature.missing;
        else {
          weights = feature.weights;
          factor = (Math.min(Math.max(value, feature.low), feature.high) - feature.mean) / feature.scale;
        }
        if (weights === undefined) continue;
        for (let i = 0; i < stride; i++) {
          const at = row * stride + i;
          scores[at] = (scores[at] as number) + factor * (weights[i] as number);
        }
      }
    });
  };
}
