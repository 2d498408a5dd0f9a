import { compileLinear, linearScores } from '../../models/model/compiled-linear.ts';
import type { PredictorSpec, TreesSpec } from '../../models/model/predictor-spec.ts';
import { compileTrees } from '../../models/model/trees/compiled-trees.ts';
import { treeScores } from '../../models/model/trees/walk-trees.ts';
import type { Design } from './features/design.ts';
import type { Loss } from './loss.ts';
import type { Boosted } from './trees/boost.ts';
import type { TreeNode } from './trees/tree.ts';

/** Significant digits of a leaf's value: more would only make model files larger. */
const LEAF_DIGITS = 7;

/** Converts boosted trees over bins to trees over values. */
export function treesSpecOf({ base, rounds }: Boosted, { binnings }: Design): TreesSpec {
  const spec: TreesSpec = {
    kind: 'trees',
    base: [...base],
    roots: [],
    features: [],
    values: [],
    right: [],
    missing: [],
    sets: [],
    levels: [],
  };
  const push = (feature: number, value: number, isMissingLeft: boolean, set: number): void => {
    spec.features.push(feature);
    spec.values.push(value);
    spec.right.push(0);
    spec.missing.push(isMissingLeft ? 1 : 0);
    spec.sets.push(set);
  };
  const add = (node: TreeNode): void => {
    const at = spec.features.length;
    if (!('split' in node)) {
      push(-1, Number(node.value.toPrecision(LEAF_DIGITS)), false, -1);
      return;
    }
    const { feature, bin, levels, missingLeft } = node.split;
    // After the last cut, only missing values go right.
    const cut = binnings[feature]?.cuts[bin - 1] ?? Number.MAX_VALUE;
    if (levels === undefined) push(feature, cut, missingLeft, -1);
    else push(feature, 0, missingLeft, spec.levels.push([...levels]) - 1);
    add(node.left);
    spec.right[at] = spec.features.length;
    add(node.right);
  };
  for (const { root } of rounds.flat()) {
    spec.roots.push(spec.features.length);
    add(root);
  }
  return spec;
}

/** Predicts rows of the table that the model was trained on. */
export function predictRows(
  spec: PredictorSpec,
  { features, binnings }: Design,
  { stride, predict }: Loss,
  rows: Int32Array,
): Float64Array {
  const width = features.length;
  const kinds = binnings.map(({ kind, bins }) => ({ highest: kind === 'levels' ? bins - 1 : undefined }));
  const addScores =
    spec.kind === 'trees'
      ? treeScores(compileTrees(spec, kinds, stride), width, stride)
      : linearScores(compileLinear(spec, kinds, stride), width, stride);
  const values = new Float64Array(rows.length * width);
  features.forEach(({ values: own }, feature) => {
    rows.forEach((row, i) => {
      values[i * width + feature] = own[row] as number;
    });
  });
  const scores = new Float64Array(rows.length * stride);
  for (let at = 0; at < scores.length; at += stride) scores.set(spec.base, at);
  addScores(values, rows.length, scores);
  return predict(scores);
}
