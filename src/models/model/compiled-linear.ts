import type { FeatureKind, LinearSpec } from './predictor-spec.ts';
import type { AddScores } from './trees/walk-trees.ts';

/** A validated linear model in typed arrays. */
export interface CompiledLinear {
  kind: 'linear';
  base: Float64Array;
  /** By feature, 1 if it is categorical; the next four apply to numeric features only. */
  isLevels: Uint8Array;
  low: Float64Array;
  high: Float64Array;
  mean: Float64Array;
  scale: Float64Array;
  /** By feature, its first term. A number has a term for its value and one for missing; levels have one each. */
  terms: Int32Array;
  /** For each term, a weight per score. */
  weights: Float64Array;
}

/**
 * @param kinds the kinds of the features
 * @param stride the number of scores
 * @throws Error if the weights do not match the features or scores
 */
export function compileLinear(
  { base, features }: LinearSpec,
  kinds: readonly FeatureKind[],
  stride: number,
): CompiledLinear {
  const lists = features.map(each => (each.kind === 'number' ? [each.weights, each.missing] : each.levels));
  if (features.length !== kinds.length)
    throw new Error(`it has weights for ${features.length} features instead of ${kinds.length}`);
  if ([[base], ...lists].flat().some(list => list.length !== stride))
    throw new Error(`not all of its terms have ${stride} weights`);
  features.forEach(({ kind }, i) => {
    if ((kind === 'levels') !== (kinds[i]?.highest !== undefined))
      throw new Error(`feature ${i} has weights of ${kind === 'levels' ? 'levels' : 'a number'}`);
  });
  const numbers = (of: 'low' | 'high' | 'mean' | 'scale') =>
    Float64Array.from(features, each => (each.kind === 'number' ? each[of] : 0));
  const terms = new Int32Array(features.length + 1);
  lists.forEach((own, i) => {
    terms[i + 1] = (terms[i] as number) + own.length;
  });
  return {
    kind: 'linear',
    base: Float64Array.from(base),
    isLevels: Uint8Array.from(features, each => (each.kind === 'levels' ? 1 : 0)),
    low: numbers('low'),
    high: numbers('high'),
    mean: numbers('mean'),
    scale: numbers('scale'),
    terms,
    weights: Float64Array.from(lists.flat(2)),
  };
}

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
