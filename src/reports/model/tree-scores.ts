import type { CompiledTrees } from './compiled-trees.ts';

/** Adds scores to rows: `values` holds `width` numbers a row, NaN where a value is missing. */
export type AddScores = (values: Float64Array, rows: number, scores: Float64Array) => void;

/**
 * Trees, ready to score. One tree takes all rows of a block before the next, so that its nodes stay in the cache.
 *
 * @param width features
 */
export function treeScores(trees: CompiledTrees, width: number, stride: number): AddScores {
  const { roots, features, cuts, right, missing, sets, members, setSize } = trees;
  return (values, rows, scores) => {
    for (let tree = 0; tree < roots.length; tree++) {
      const root = roots[tree] as number; // Checked by `compileTrees`, as all indices here are.
      const index = tree % stride;
      for (let row = 0; row < rows; row++) {
        let node = root;
        let feature = features[node] as number;
        while (feature >= 0) {
          const value = values[row * width + feature] as number;
          const set = sets[node] as number;
          const isLeft = Number.isNaN(value)
            ? missing[node] === 1
            : set < 0
              ? value <= (cuts[node] as number)
              : members[set * setSize + value] === 1;
          node = isLeft ? node + 1 : (right[node] as number);
          feature = features[node] as number;
        }
        const at = row * stride + index;
        scores[at] = (scores[at] as number) + (cuts[node] as number);
      }
    }
  };
}
