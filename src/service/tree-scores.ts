import type { TreesSpec } from './predictor-spec.ts';

/** Adds scores to rows: `values` holds `width` numbers a row, NaN where a value is missing. */
export type AddScores = (values: Float64Array, rows: number, scores: Float64Array) => void;

const SET = 256;

/**
 * Trees, ready to score. One tree takes all rows of a block before the next, so that its nodes stay in the cache.
 *
 * @param width features
 * @throws Error for a tree that does not end, or that asks for what is not there
 */
export function treeScores(spec: TreesSpec, width: number, stride: number): AddScores {
  check(spec, width, stride);
  const roots = Int32Array.from(spec.roots);
  const features = Int32Array.from(spec.features);
  const cuts = Float64Array.from(spec.values);
  const right = Int32Array.from(spec.right);
  const missing = Uint8Array.from(spec.missing);
  const sets = Int32Array.from(spec.sets);
  const members = new Uint8Array(SET * spec.levels.length);
  spec.levels.forEach((levels, i) => {
    for (const level of levels) members[i * SET + level] = 1;
  });
  return (values, rows, scores) => {
    for (let tree = 0; tree < roots.length; tree++) {
      const root = roots[tree] as number; // Checked above, as all indices here are.
      const place = tree % stride;
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
              : members[set * SET + value] === 1;
          node = isLeft ? node + 1 : (right[node] as number);
          feature = features[node] as number;
        }
        const at = row * stride + place;
        scores[at] = (scores[at] as number) + (cuts[node] as number);
      }
    }
  };
}

/** A child comes after its parent and before the list's end, so every walk ends, and at a leaf. */
function check(spec: TreesSpec, width: number, stride: number): void {
  const { roots, features, values, right, missing, sets, levels, base } = spec;
  const nodes = features.length;
  const isWhole =
    [values, right, missing, sets].every(list => list.length === nodes) && base.length === stride;
  if (!isWhole || roots.length % stride !== 0) throw new Error('its trees are not whole');
  if (!roots.every(root => root < nodes)) throw new Error('a tree begins outside the list of nodes');
  features.forEach((feature, node) => {
    if (feature === -1) return;
    const next = right[node] ?? 0;
    if (feature >= width || next <= node + 1 || next >= nodes || (sets[node] ?? 0) >= levels.length)
      throw new Error(`node ${node} of its trees refers to what is not there`);
  });
}
