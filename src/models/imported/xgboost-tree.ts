import { checkTree } from './check-tree.ts';
import { type ImportedTree, MAX_NODES } from './imported-model.ts';
import type { Member, NumberList } from './members.ts';
import { cutBelow } from './single-precision.ts';
import { unsupported } from './unsupported.ts';

/** XGBoost takes codes below this one: above, float32 has no longer each whole number. */
const MAX_CODE = 1 << 24;

/** What a tree is read with. */
interface TreeContext {
  score: number;
  /** What the values of its leaves are multiplied with, because trees were dropped in training; 1 otherwise. */
  weight: number;
  /** Features and scores of the model. */
  features: number;
  scores: number;
  /** The features that any tree tests by their categories, or as numbers, are added to these. */
  byCategory: Set<number>;
  byNumber: Set<number>;
}

/**
 * Reads one of `trees`. Its nodes are put in the order in which a walk to the left first reaches them.
 *
 * In the file a number below the condition goes left. A category whose code is in the set goes right, and all other
 * codes, even those that training did not have, go left. So the children of such a node change sides.
 */
export function readXgboostTree(file: Member, number: number, context: TreeContext): ImportedTree {
  const param = file.member('tree_param');
  if ((param.find('size_leaf_vector')?.integer() ?? 0) > 1)
    throw unsupported(
      `${file.path} has leaves with several values (multi_strategy="multi_output_tree")`,
      'Train with multi_strategy="one_output_per_tree".',
    );
  const count = param.member('num_nodes').integer(1, MAX_NODES);
  const deleted = param.find('num_deleted')?.integer(0, count - 1) ?? 0;
  const left = file.member('left_children').integers(count, -1, count - 1);
  const right = file.member('right_children').integers(count, -1, count - 1);
  // A node that was deleted has an index beyond all features.
  const tested = file.member('split_indices').integers(count, -1, 2 ** 32);
  const conditions = file.member('split_conditions').numbers(count);
  const missingLeft = flags(file.member('default_left'), count);
  const categorySets = readSets(file, count);

  // The new number of each node that is reached, and the old one of each new one.
  const order = new Int32Array(count);
  const numbers = new Int32Array(count).fill(-1);
  const open: number[] = [0];
  let reached = 0;
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (numbers[node] !== -1) throw file.wrong(`reaches node ${node} in two ways`);
    numbers[node] = reached;
    order[reached++] = node;
    const [toLeft, toRight] = [left[node] ?? -1, right[node] ?? -1];
    if (toLeft === -1 && toRight === -1) continue;
    // The library goes to the node after the left child instead of looking at the right one.
    if (toLeft === -1 || toRight !== toLeft + 1)
      throw file.wrong(
        `has children ${toLeft} and ${toRight} of node ${node}, which are not next to each other`,
      );
    if (categorySets?.has(node)) open.push(toLeft, toRight);
    else open.push(toRight, toLeft);
  }
  if (reached !== count - deleted)
    throw file.wrong(`has ${count} nodes, of which ${deleted} are deleted, but ${reached} are reached`);

  const tree = {
    score: context.score,
    features: new Int32Array(reached).fill(-1),
    values: new Float64Array(reached),
    left: new Int32Array(reached).fill(-1),
    right: new Int32Array(reached).fill(-1),
    missingLeft: new Uint8Array(reached),
    sets: new Map<number, readonly number[]>(),
  };
  for (let i = 0; i < reached; i++) {
    const node = order[i] ?? 0;
    const condition = Math.fround(conditions[node] ?? Number.NaN);
    if (left[node] === -1) {
      tree.values[i] = Math.fround(condition * context.weight);
      continue;
    }
    const feature = tested[node] ?? -1;
    const set = categorySets?.get(node);
    tree.features[i] = Math.min(feature, context.features);
    const [toLeft, toRight] = [numbers[left[node] ?? 0] ?? -1, numbers[right[node] ?? 0] ?? -1];
    [tree.left[i], tree.right[i]] = set === undefined ? [toLeft, toRight] : [toRight, toLeft];
    tree.missingLeft[i] = (missingLeft[node] === 1) === (set === undefined) ? 1 : 0;
    if (set !== undefined) {
      tree.sets.set(i, set);
      context.byCategory.add(feature);
      continue;
    }
    if (!Number.isFinite(condition)) throw file.wrong(`compares with ${condition} at node ${node}`);
    tree.values[i] = cutBelow(condition);
    context.byNumber.add(feature);
  }
  checkTree(tree, number, context.features, context.scores);
  return tree;
}

/** NumberList that are 0 or 1, or booleans of JSON. */
function flags(member: Member, count: number): NumberList {
  const { value } = member;
  if (!Array.isArray(value) || typeof value[0] !== 'boolean') return member.integers(count, 0, 1);
  if (value.length !== count || !value.every(flag => typeof flag === 'boolean'))
    throw member.wrong(`should have ${count} booleans`);
  return value.map(Number);
}

/** By node, the codes of the categories that go right. */
function readSets(file: Member, count: number): ReadonlyMap<number, readonly number[]> | undefined {
  const types = file.find('split_type')?.integers(count, 0, 1);
  if (types === undefined) return undefined;
  const nodes = file.member('categories_nodes').integers(undefined, 0, count - 1);
  const starts = file.member('categories_segments').integers(nodes.length);
  const sizes = file.member('categories_sizes').integers(nodes.length, 1);
  const codes = file.member('categories').integers(undefined, 0, MAX_CODE - 1);
  const sets = new Map<number, readonly number[]>();
  let read = 0;
  for (let i = 0; i < nodes.length; i++) {
    const [node, start, size] = [nodes[i] ?? 0, starts[i] ?? 0, sizes[i] ?? 0];
    read += size;
    if (start + size > codes.length || read > codes.length)
      throw file.wrong(`has ${codes.length} categories, but its nodes name more`);
    if (types[node] !== 1 || sets.has(node))
      throw file.wrong(`has categories twice, or for a number, at node ${node}`);
    sets.set(node, [...new Set(Array.prototype.slice.call(codes, start, start + size) as number[])]);
  }
  for (let node = 0; node < count; node++)
    if (types[node] === 1 && !sets.has(node)) throw file.wrong(`has no categories for node ${node}`);
  return sets;
}
