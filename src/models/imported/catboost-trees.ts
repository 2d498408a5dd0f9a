import { sanitize } from '../../base/sanitize.ts';
import { checkTree } from './check-tree.ts';
import { type ImportedTree, MAX_TREE_DEPTH } from './imported-model.ts';
import { Member } from './members.ts';
import { cutAtMost } from './single-precision.ts';
import { unsupported } from './unsupported.ts';

/** CatBoost itself allows 16. */
const MAX_SYMMETRIC_DEPTH = 24;

/** How splits name the columns of the model. */
export interface CatboostFeatures {
  /** The number of all columns. */
  count: number;
  /** By the index among numbers. */
  floats: Map<number, { column: number; missingGoesRight: boolean }>;
  /** The column, by the index among categories. */
  categories: Map<number, number>;
}

interface TreeContext {
  isOblivious: boolean;
  scores: number;
  features: CatboostFeatures;
  /** How many nodes the trees may have together. */
  maxNodes: number;
}

interface Split {
  feature: number;
  /** The cut of a number; for a category NaN. */
  cut: number;
  /** The codes of the categories that go left, which CatBoost lets go right: the children change sides. */
  set: readonly number[] | undefined;
  missingLeft: 0 | 1;
}

/**
 * Reads a tree of the file: one tree for each score, all with the same splits. In the file, a number above the border
 * and a category that is equal go right.
 *
 * @param number as the file counts its trees
 */
export function catboostTrees(file: Member, number: number, context: TreeContext): ImportedTree[] {
  const { scores, features } = context;
  const nodes = context.isOblivious ? obliviousNodes(file, context) : nestedNodes(file, context);
  const trees = Array.from({ length: scores }, (_, score) => ({
    score,
    features: Int32Array.from(nodes, node => ('split' in node ? node.split.feature : -1)),
    values: Float64Array.from(nodes, node => ('split' in node ? node.split.cut : node.value(score))),
    left: Int32Array.from(nodes, node => ('split' in node ? node.left : -1)),
    right: Int32Array.from(nodes, node => ('split' in node ? node.right : -1)),
    missingLeft: Uint8Array.from(nodes, node => ('split' in node ? node.split.missingLeft : 0)),
    sets: new Map(
      nodes.flatMap((node, i) =>
        'split' in node && node.split.set !== undefined ? [[i, node.split.set]] : [],
      ),
    ),
  }));
  for (const tree of trees) checkTree(tree, number, features.count, scores);
  return trees;
}

type Node = { split: Split; left: number; right: number } | { value(score: number): number };

/** A tree with one split for all nodes of a level. The answer to split i is bit i of the index of the leaf. */
function obliviousNodes(file: Member, { scores, features, maxNodes }: TreeContext): Node[] {
  const splits = (file.find('splits')?.list() ?? []).map(split => readSplit(split, features));
  const depth = splits.length;
  if (depth > MAX_SYMMETRIC_DEPTH || scores * 2 ** (depth + 1) > maxNodes)
    throw unsupported(`${file.path} makes the model too large: ${depth} levels`, 'Train smaller trees.');
  const values = file.member('leaf_values').numbers(scores * 2 ** depth);
  const nodes: Node[] = [];
  // From the last split on, so that leaves are in the order of their indexes unless sides change.
  const grow = (level: number, leaf: number): number => {
    const index = nodes.length;
    const split = splits[level];
    if (split === undefined) {
      nodes.push({ value: score => values[leaf * scores + score] ?? Number.NaN });
      return index;
    }
    const node = { split, left: 0, right: 0 };
    nodes.push(node);
    const leaves = [leaf, leaf + 2 ** level] as const;
    node.left = grow(level - 1, leaves[split.set === undefined ? 0 : 1]);
    node.right = grow(level - 1, leaves[split.set === undefined ? 1 : 0]);
    return index;
  };
  grow(depth - 1, 0);
  return nodes;
}

/** A tree whose nodes have splits of their own. */
function nestedNodes(file: Member, { scores, features, maxNodes }: TreeContext): Node[] {
  const nodes: Node[] = [];
  const grow = (member: Member, depth: number): number => {
    const index = nodes.length;
    if (scores * index >= maxNodes || depth > MAX_TREE_DEPTH)
      throw unsupported(`${file.path} makes the model too large`, 'Train smaller trees.');
    const split = member.find('split');
    if (split === undefined) {
      const value = member.member('value');
      const values = typeof value.value === 'number' ? [value.value] : value.numbers(scores);
      if (values.length !== scores) throw value.wrong(`should have ${scores} numbers`);
      nodes.push({ value: score => values[score] ?? Number.NaN });
      return index;
    }
    const node = { split: readSplit(split, features), left: 0, right: 0 };
    nodes.push(node);
    const [first, second] = node.split.set === undefined ? ['left', 'right'] : ['right', 'left'];
    node.left = grow(new Member(member.member(first).value, file.path), depth + 1);
    node.right = grow(new Member(member.member(second).value, file.path), depth + 1);
    return index;
  };
  grow(file, 0);
  return nodes;
}

function readSplit(member: Member, features: CatboostFeatures): Split {
  const type = member.find('split_type')?.text() ?? 'FloatFeature';
  if (type === 'FloatFeature') {
    const feature = features.floats.get(member.member('float_feature_index').integer());
    if (feature === undefined) throw member.wrong('tests a feature that the model does not have');
    const border = Math.fround(member.member('border').number());
    if (!Number.isFinite(border)) throw member.wrong(`has the border ${border}`);
    return {
      feature: feature.column,
      cut: cutAtMost(border),
      set: undefined,
      missingLeft: feature.missingGoesRight ? 0 : 1,
    };
  }
  if (type === 'OneHotFeature') {
    const column = features.categories.get(member.member('cat_feature_index').integer());
    if (column === undefined) throw member.wrong('tests a feature that the model does not have');
    const code = member.member('value').integer(-(2 ** 31), 2 ** 32 - 1) | 0;
    return { feature: column, cut: 0, set: [code], missingLeft: 0 };
  }
  if (type === 'OnlineCtr')
    throw unsupported(
      'the model replaces categories by counters (CTRs, "OnlineCtr")',
      'Train with one_hot_max_size=255, if no column has more categories than that, and with max_ctr_complexity=0.',
    );
  throw unsupported(
    `the model has splits of the type "${sanitize(type)}"`,
    'Train with numbers and categories only.',
  );
}
