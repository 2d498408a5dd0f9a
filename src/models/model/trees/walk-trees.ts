import { type CompiledTrees, isInSet } from './compiled-trees.ts';

/** Adds scores to rows: `values` has `width` numbers per row, NaN for missing values. */
export type AddScores = (values: Float64Array, rows: number, scores: Float64Array) => void;

/**
 * Returns a function that adds the trees' scores: one tree after the other for all rows, so that its nodes stay cached.
 *
 * @param width the number of features
 * @param stride the number of scores of a row
 */
export function treeScores(trees: CompiledTrees, width: number, stride: number): AddScores {
  const { roots, scores: targets, features, cuts, right, missing, sets, zeros, isSingle } = trees;
  const hasZeros = zeros.some(zero => zero >= 0);
  return (values, rows, scores) => {
    for (let tree = 0; tree < roots.length; tree++) {
      const root = roots[tree] as number; // All indexes here were checked by `compileTrees`.
      const index = targets[tree] as number;
      for (let row = 0; row < rows; row++) {
        let node = root;
        let feature = features[node] as number;
        while (feature >= 0) {
          const value = values[row * width + feature] as number;
          const set = sets[node] as number;
          const isMissing =
            Number.isNaN(value) || (hasZeros && Math.abs(value) <= (zeros[feature] as number));
          const isLeft = isMissing
            ? missing[node] === 1
            : set < 0
              ? value <= (cuts[node] as number)
              : isInSet(trees, set, value);
          node = isLeft ? node + 1 : (right[node] as number);
          feature = features[node] as number;
        }
        const at = row * stride + index;
        const sum = (scores[at] as number) + (cuts[node] as number);
        scores[at] = isSingle ? Math.fround(sum) : sum;
      }
    }
  };
}
