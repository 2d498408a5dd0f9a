import type { FeatureBins, GoesLeft } from './bins.ts';
import type { CompiledTrees } from './compiled-trees.ts';

/** Rows of which the bins are computed at once: in 16 bits, they stay in the core's fastest cache. */
export const BLOCK_ROWS = 256;

/** A node has `1 << NODE_BITS` numbers in `BinnedTrees.nodes`, of which three are used. */
const NODE_BITS = 2;
/** Where the bins of its feature are in a block. */
const FEATURE = 0;
/** Where the bits of the condition of a node are. */
const CONDITION = 1;
/** Where the index of the left child of a node is. */
const LEFT = 2;

/**
 * Trees whose conditions are bits by bin. The right child of a node follows its left one. A leaf is its own left child,
 * and its condition is never true: a walk of `depth` steps from the root ends at the leaf, whatever its depth.
 */
export interface BinnedTrees {
  nodes: Int32Array;
  /** Bit by bit, from the least significant one of a condition's first word: 1 if the bin goes right. */
  bits: Int32Array;
  /** By node: the score of a leaf. */
  leaves: Float64Array;
  /** By tree: its root, its depth, and the score that it adds to. */
  roots: Int32Array;
  depths: Int32Array;
  scores: Int32Array;
}

interface Model {
  trees: CompiledTrees;
  bins: readonly FeatureBins[];
  goesLeft: GoesLeft;
}

/** @param chosen the trees, by their indexes in `roots` */
export function binnedTrees(model: Model, chosen: readonly number[]): BinnedTrees {
  const { trees } = model;
  const bits = new ConditionBits(model);
  const nodes: number[] = [];
  const leaves: number[] = [];
  const set = (node: number, feature: number, condition: number, left: number): void => {
    const at = node << NODE_BITS;
    nodes[at + FEATURE] = feature * BLOCK_ROWS;
    nodes[at + CONDITION] = condition;
    nodes[at + LEFT] = left;
  };
  const depths = new Int32Array(chosen.length);
  let count = 0;
  const roots = Int32Array.from(chosen, (tree, i) => {
    const first = count++;
    const open = [{ from: trees.roots[tree] as number, node: first, depth: 0 }];
    for (const { from, node, depth } of open) {
      const feature = trees.features[from] as number;
      leaves[node] = feature === -1 ? (trees.cuts[from] as number) : 0;
      if (feature === -1) {
        set(node, 0, bits.none, node);
        depths[i] = Math.max(depths[i] as number, depth);
      } else {
        set(node, feature, bits.of(from), count);
        open.push({ from: from + 1, node: count++, depth: depth + 1 });
        open.push({ from: trees.right[from] as number, node: count++, depth: depth + 1 });
      }
    }
    return first;
  });
  return {
    nodes: Int32Array.from({ length: count << NODE_BITS }, (_, i) => nodes[i] ?? 0),
    bits: Int32Array.from(bits.words),
    leaves: Float64Array.from(leaves),
    roots,
    depths,
    scores: Int32Array.from(chosen, tree => trees.scores[tree] as number),
  };
}

/** The bits of conditions; nodes with the same condition share them. */
class ConditionBits {
  /** Where the bits of a condition that is never true are. */
  readonly none = 0;
  readonly words: number[] = [];
  readonly #model: Model;
  readonly #known = new Map<string, number>();

  constructor(model: Model) {
    this.#model = model;
    // A leaf's feature is the first one.
    this.words.push(...wordsOf(model.bins[0]?.count ?? 0, () => false));
  }

  /** Where the bits of a node's condition are. */
  of(node: number): number {
    const { trees, bins, goesLeft } = this.#model;
    const feature = trees.features[node] as number;
    const set = trees.sets[node] as number;
    const key = `${feature} ${set < 0 ? trees.cuts[node] : `set ${set}`} ${trees.missing[node]}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const at = this.words.length;
    this.words.push(...wordsOf(bins[feature]?.count ?? 0, bin => !goesLeft(node, bin)));
    this.#known.set(key, at);
    return at;
  }
}

function wordsOf(count: number, isSet: (bin: number) => boolean): Int32Array {
  const words = new Int32Array(Math.ceil(count / 32));
  for (let bin = 0; bin < count; bin++)
    if (isSet(bin)) words[bin >> 5] = (words[bin >> 5] as number) | (1 << (bin & 31));
  return words;
}
