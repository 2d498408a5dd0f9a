import type { AddScores } from '../trees/walk-trees.ts';
import type { CompiledLinear } from './compiled-linear.ts';

/** Returns a function that adds a linear model's scores. */
export function linearScores(model: CompiledLinear, width: number, stride: number): AddScores {
  const { isLevels, low, high, mean, scale, terms, weights } = model;
  return (values, rows, scores) => {
    // All indexes are within the arrays, as checked by `compileLinear`.
    for (let feature = 0; feature < width; feature++) {
      const first = terms[feature] as number;
      const count = (terms[feature + 1] as number) - first;
      for (let row = 0; row < rows; row++) {
        const value = values[row * width + feature] as number;
        let term = first;
        let factor = 1;
        // A level without weights of its own counts as missing.
        if (isLevels[feature] === 1) term += value < count ? value : 0;
        else if (Number.isNaN(value)) term += 1;
        else {
          const clipped = Math.min(Math.max(value, low[feature] as number), high[feature] as number);
          factor = (clipped - (mean[feature] as number)) / (scale[feature] as number);
        }
        for (let i = 0; i < stride; i++) {
          const at = row * stride + i;
          scores[at] = (scores[at] as number) + factor * (weights[term * stride + i] as number);
        }
      }
    }
  };
}
