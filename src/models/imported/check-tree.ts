import { RowcastError } from '../../base/errors.ts';
import { type ImportedTree, MAX_TREE_DEPTH } from './imported-model.ts';

/**
 * Checks that a tree can be walked: its lists are of one length, each node is reached once from the root, and all that
 * its nodes name exists. Takes time and memory in proportion to its nodes, however deep it is.
 *
 * @param number as the file counts its trees
 * @throws RowcastError `bad_model`, `unsupported_model` if it is too deep
 */
export function checkTree(tree: ImportedTree, number: number, features: number, scores: number): void {
  const { length } = tree.features;
  const fail = (what: string): never => {
    throw new RowcastError('bad_model', `tree ${number}: ${what}`);
  };
  const { values, left, right, missingLeft, zeroIsMissing, sets } = tree;
  if (length === 0) fail('it has no nodes');
  for (const list of [values, left, right, missingLeft, zeroIsMissing])
    if (list !== undefined && list.length !== length) fail('its lists are of different lengths');
  if (!(tree.score >= 0 && tree.score < scores)) fail(`it adds to score ${tree.score} of ${scores}`);

  const depths = new Int32Array(length).fill(-1);
  const open = new Int32Array(length);
  let count = 1;
  let reached = 0;
  depths[0] = 0;
  while (count > 0) {
    const node = open[--count] ?? 0;
    const depth = (depths[node] ?? 0) + 1;
    const feature = tree.features[node] ?? 0;
    const value = values[node] ?? 0;
    reached++;
    if (feature === -1) {
      if (!Number.isFinite(value)) fail(`the value of the leaf at node ${node} is ${value}`);
      if (sets.has(node)) fail(`the leaf at node ${node} has a set of categories`);
      continue;
    }
    if (feature < 0 || feature >= features) fail(`node ${node} tests feature ${feature} of ${features}`);
    if (Number.isNaN(value)) fail(`the threshold of node ${node} is no number`);
    if (depth > MAX_TREE_DEPTH)
      throw new RowcastError('unsupported_model', `tree ${number} is deeper than ${MAX_TREE_DEPTH} nodes`, {
        hint: 'Train it again with a limit of its depth.',
      });
    for (const child of [left[node] ?? -1, right[node] ?? -1]) {
      if (!(child >= 0 && child < length))
        fail(`node ${node} has a child ${child}, but it has ${length} nodes`);
      if (depths[child] !== -1) fail(`node ${child} is reached in two ways`);
      depths[child] = depth;
      open[count++] = child;
    }
  }
  if (reached !== length) fail(`node ${depths.indexOf(-1)} is reached from no other`);
  for (const node of sets.keys())
    if (!(node >= 0 && node < length)) fail(`a set of categories is for node ${node} of ${length}`);
}
