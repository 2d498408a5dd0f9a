import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import { checkTree } from './check-tree.ts';
import { type ImportedTree, MAX_NODES } from './imported-model.ts';
import type { KeyLine, TextLines } from './text-lines.ts';

/** Keys of a tree that change no prediction. */
const UNUSED = new Set([
  'split_gain',
  'leaf_weight',
  'leaf_count',
  'internal_value',
  'internal_weight',
  'internal_count',
  'leaf_parent',
  // It is in the values of leaves.
  'shrinkage',
]);
const USED = new Set([
  'num_leaves',
  'num_cat',
  'split_feature',
  'threshold',
  'decision_type',
  'left_child',
  'right_child',
  'leaf_value',
  'cat_boundaries',
  'cat_threshold',
  'is_linear',
]);
/** Keys that only linear trees have. */
const LINEAR = new Set(['leaf_const', 'num_features', 'leaf_features', 'leaf_coeff']);

/** `decision_type`: the meaning of its bits, and the numbers of missing types. */
const [CATEGORY, MISSING_LEFT] = [1, 2];
const [NONE, ZERO] = [0, 1];

/** `kZeroThreshold`: what is at most as large counts as 0 wherever rows come from, in each version. */
const ZERO_THRESHOLD = Math.fround(1e-35);
/** The next double below its negative. */
const BELOW_ZERO = -1.0000000180025096e-35;

/** Categories in all sets of a file: more are no model, and would fill memory from a small file. */
const MAX_IN_SETS = MAX_NODES;

/** Reads the trees of a LightGBM file one after the other, each with what `decision_type` says. */
export class TreeReader {
  readonly #lines: TextLines;
  readonly #features: number;
  readonly #scores: number;
  #nodes = 0;
  #inSets = 0;

  constructor(lines: TextLines, features: number, scores: number) {
    this.#lines = lines;
    this.#features = features;
    this.#scores = scores;
  }

  /**
   * Reads the lines after `Tree=…`, up to the empty one.
   *
   * @throws RowcastError `bad_model`, `unsupported_model`
   */
  read(number: number): ImportedTree {
    const lines = this.#lines;
    const keys = this.#keys(number);
    const of = (key: string): KeyLine =>
      keys.get(key) ?? lines.fail(`tree ${number} has no ${key}: the file is damaged or cut off`);

    const linear = keys.get('is_linear');
    if (linear !== undefined && lines.integer(linear) !== 0) refuseLinear(number);
    const leaves = lines.integer(of('num_leaves'));
    if (leaves < 1) lines.fail(`tree ${number} has ${leaves} leaves`);
    const cuts = leaves - 1;
    const nodes = cuts + leaves;
    this.#nodes += nodes;
    if (this.#nodes > MAX_NODES)
      throw new RowcastError('unsupported_model', `the model has more than ${MAX_NODES} nodes`, {
        hint: 'Train it with fewer or smaller trees.',
      });
    const leafValues = lines.doubles(of('leaf_value'), leaves);
    const tree = {
      score: number % this.#scores,
      features: new Int32Array(nodes).fill(-1),
      values: new Float64Array(nodes),
      left: new Int32Array(nodes).fill(-1),
      right: new Int32Array(nodes).fill(-1),
      missingLeft: new Uint8Array(nodes),
      sets: new Map<number, readonly number[]>(),
    };
    tree.values.set(leafValues, cuts);
    if (cuts === 0) {
      checkTree(tree, number, this.#features, this.#scores);
      return tree;
    }

    const thresholds = lines.doubles(of('threshold'), cuts);
    const decisions = lines.integers(of('decision_type'), cuts);
    const splits = lines.integers(of('split_feature'), cuts);
    const left = lines.integers(of('left_child'), cuts);
    const right = lines.integers(of('right_child'), cuts);
    const sets = this.#sets(number, lines.integer(of('num_cat')), of);
    const zeroIsMissing = new Uint8Array(nodes);
    for (let node = 0; node < cuts; node++) {
      const decision = decisions[node] ?? 0;
      const missing = decision >> 2;
      if (!(decision >= 0 && decision <= 11)) lines.fail(`tree ${number} has a decision_type ${decision}`);
      const feature = splits[node] ?? -1;
      if (!(feature >= 0 && feature < this.#features))
        lines.fail(`tree ${number} tests feature ${feature}, but max_feature_idx is ${this.#features - 1}`);
      tree.features[node] = feature;
      tree.left[node] = nodeOf(left[node] ?? 0, cuts, nodes);
      tree.right[node] = nodeOf(right[node] ?? 0, cuts, nodes);
      const threshold = thresholds[node] ?? 0;
      if ((decision & CATEGORY) !== 0) {
        const set = sets[threshold];
        if (set === undefined) return lines.fail(`tree ${number} has no set of categories ${threshold}`);
        tree.sets.set(node, set);
        continue;
      }
      tree.values[node] = comparable(threshold);
      const isLeft = missing === NONE ? threshold >= 0 : (decision & MISSING_LEFT) !== 0;
      tree.missingLeft[node] = isLeft ? 1 : 0;
      if (missing === ZERO) zeroIsMissing[node] = 1;
    }
    const whole: ImportedTree = zeroIsMissing.includes(1) ? { ...tree, zeroIsMissing } : tree;
    checkTree(whole, number, this.#features, this.#scores);
    return whole;
  }

  #keys(number: number): Map<string, KeyLine> {
    const lines = this.#lines;
    const keys = new Map<string, KeyLine>();
    while (lines.next() && !lines.isEmpty) {
      const line = lines.keyLine();
      if (LINEAR.has(line.key)) refuseLinear(number);
      if (!UNUSED.has(line.key) && !USED.has(line.key))
        throw new RowcastError(
          'unsupported_model',
          `tree ${number} has the key "${sanitize(line.key)}", which is not known`,
          {
            location: { line: lines.line },
            hint: 'It may change predictions. Save the model with a version of LightGBM from 2.2 to 4.',
          },
        );
      if (keys.has(line.key)) lines.fail(`tree ${number} has ${line.key} twice`);
      keys.set(line.key, line);
    }
    return keys;
  }

  /** The sets of a tree: bits of 32 for each number of `cat_threshold`, and where those of a set begin. */
  #sets(number: number, count: number, of: (key: string) => KeyLine): number[][] {
    const lines = this.#lines;
    if (count === 0) return [];
    if (count < 0) lines.fail(`tree ${number} has num_cat ${count}`);
    const bounds = lines.integers(of('cat_boundaries'), count + 1);
    if (bounds[0] !== 0 || bounds.some((bound, at) => bound < (bounds[at - 1] ?? 0)))
      lines.fail(`cat_boundaries of tree ${number} do not grow from 0`);
    const words = lines.integers(of('cat_threshold'), bounds.at(-1) ?? 0);
    return Array.from({ length: count }, (_, set) => {
      const codes: number[] = [];
      const [from = 0, end = 0] = bounds.subarray(set, set + 2);
      for (let at = from; at < end; at++) {
        const word = words[at] ?? 0;
        if (word < 0 || word > 0xffff_ffff) lines.fail(`cat_threshold of tree ${number} has ${word}`);
        for (let left = word >>> 0; left !== 0; left &= left - 1)
          codes.push(32 * (at - from) + 31 - Math.clz32(left & -left));
      }
      this.#inSets += codes.length;
      if (this.#inSets > MAX_IN_SETS)
        throw new RowcastError(
          'unsupported_model',
          `the sets of the trees have more than ${MAX_IN_SETS} categories`,
          {
            hint: 'Train it with fewer categories.',
          },
        );
      return codes;
    });
  }
}

/** The node of a child: those with leaves come after all others. An impossible one is found by `checkTree`. */
function nodeOf(child: number, cuts: number, nodes: number): number {
  const node = child < 0 ? cuts - 1 - child : child;
  return child >= cuts || node >= nodes ? nodes : node;
}

/** The threshold with which `x <= threshold` is the same, although values near 0 count as 0. */
function comparable(threshold: number): number {
  if (threshold < -ZERO_THRESHOLD || threshold >= ZERO_THRESHOLD) return threshold;
  return threshold < 0 ? BELOW_ZERO : ZERO_THRESHOLD;
}

function refuseLinear(number: number): never {
  throw new RowcastError(
    'unsupported_model',
    `tree ${number} has linear models in its leaves (linear_tree)`,
    {
      hint: 'Train it without linear_tree.',
    },
  );
}
