import { binConditions, type FeatureBins, featureBins } from './bins.ts';
import type { CompiledTrees } from './compiled-trees.ts';

/** Rows of which the bins are computed at once: in 16 bits, they stay in the core's fastest cache. */
export const BLOCK_ROWS = 256;
/** The bin of a missing number that goes right; that of one that goes left is 0. */
export const MISSING_BIN = 0xffff;
/** Bins of a feature in a block: those of its rows if missing numbers go right, then those if they go left. */
export const FEATURE_BINS = 2 * BLOCK_ROWS;

export const NODE_WORDS = 4;
/** Which word of a node has the place of its children. */
export const CHILD_WORD = 2;
const BIN_BYTES = Uint16Array.BYTES_PER_ELEMENT;
const NODE_BYTES = NODE_WORDS * Int32Array.BYTES_PER_ELEMENT;
const TREE_WORDS = 4;
/** Rows walk on without a look at whether they have ended while at least this share has not. */
const MOST_WALKING = 1 / 4;
/** Words without a bit, for all bins: the set of nodes that have none. */
const NO_SET_WORDS = (MISSING_BIN + 1) / 32;
/** What a leaf has in place of the last bin that goes left, and a node with a set: none goes right, or all. */
const LEAF = 1 << 30;
const ALL_RIGHT = (1 << 31) | MISSING_BIN;
/** Places of bins and nodes are numbers of 32 bits. */
const MAX_FEATURES = 1 << 16;
const MAX_NODES = 1 << 27;

/**
 * Trees of any size for `kernelScores`, walked down by the bins of a row (assembly/walk-trees.ts): plain data, which
 * threads can share. Unlike nodes of `CompiledTrees`, nodes here need no branch that a processor could not predict.
 */
export interface NodeTable {
  kind: 'nodes';
  bins: readonly FeatureBins[];
  /**
   * By tree: the place of its root in bytes, that of its score in a row in bytes, whether it tests sets, and how many steps
   * most rows walk at least.
   */
  trees: Int32Array;
  /**
   * By node, in words of 32 bits: the last bin that goes left; the place of its feature's bins in bytes; that of its left
   * child, which the right one follows; that of its set. A leaf is its own left child. The first node is a leaf of no tree.
   */
  nodes: Int32Array;
  /** By node, the score of a leaf. */
  leaves: Float64Array | Float32Array;
  /** By bin of a level a bit: whether it goes left. */
  sets: Int32Array;
}

/** @returns undefined if there are too many nodes, features or bins, or if trees share nodes */
export function nodeTable(compiled: CompiledTrees): NodeTable | undefined {
  const { features, cuts, right, missing, sets, roots, scores, isSingle } = compiled;
  const bins = featureBins(compiled);
  if (bins === undefined || features.length > MAX_NODES || bins.length > MAX_FEATURES) return undefined;
  const { last } = binConditions(compiled, bins);
  const own = new NodeSets(compiled);
  const capacity = features.length + 1;
  const nodes = new Int32Array(NODE_WORDS * capacity);
  const leaves = isSingle ? new Float32Array(capacity) : new Float64Array(capacity);
  const trees = new Int32Array(TREE_WORDS * roots.length);
  nodes[0] = LEAF;
  let free = 1;
  for (const [tree, root] of roots.entries()) {
    const place = free++;
    let hasSets = 0;
    /** The share of rows at each depth that are not at a leaf, if half of them go left at every node. */
    const walking: number[] = [];
    /** Nodes, where they are in the table, and their depths. */
    const open = [root, place, 0];
    while (open.length > 0) {
      const [node, at, depth] = open.splice(-3) as [number, number, number]; // They are pushed together.
      if (at >= capacity) return undefined;
      const word = NODE_WORDS * at;
      const feature = features[node] as number;
      if (feature < 0) {
        leaves[at] = cuts[node] as number;
        nodes.set([LEAF, 0, NODE_BYTES * at], word);
        continue;
      }
      const [set, left] = [sets[node] as number, missing[node] as number];
      const isNumber = set < 0;
      if (!isNumber) hasSets = 1;
      nodes.set(
        [
          isNumber ? (last[node] as number) : ALL_RIGHT,
          BIN_BYTES * (FEATURE_BINS * feature + (isNumber ? BLOCK_ROWS * left : 0)),
          NODE_BYTES * free,
          isNumber ? 0 : own.place(set, left === 1),
        ],
        word,
      );
      walking[depth] = (walking[depth] ?? 0) + 2 ** -depth;
      open.push(right[node] as number, free + 1, depth + 1, node + 1, free, depth + 1);
      free += 2;
    }
    const score = Float64Array.BYTES_PER_ELEMENT * (scores[tree] as number);
    const steps = walking.filter(share => share > MOST_WALKING).length;
    trees.set([NODE_BYTES * place, score, hasSets, steps], TREE_WORDS * tree);
  }
  return { kind: 'nodes', bins, trees, nodes, leaves, sets: own.words() };
}

/** The sets of nodes, with a bit for the bin of missing levels, 0. */
class NodeSets {
  readonly #compiled: CompiledTrees;
  readonly #places = new Map<number, number>();
  readonly #words: Int32Array[] = [new Int32Array(NO_SET_WORDS)];
  #length = NO_SET_WORDS;

  constructor(compiled: CompiledTrees) {
    this.#compiled = compiled;
  }

  /** @returns the place of the set in bytes */
  place(set: number, hasMissing: boolean): number {
    const key = 2 * set + Number(hasMissing);
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const { members, setStarts } = this.#compiled;
    const words = members.slice(setStarts[set], setStarts[set + 1]);
    if (hasMissing) words[0] = (words[0] as number) | 1;
    const place = this.#length * Int32Array.BYTES_PER_ELEMENT;
    this.#places.set(key, place);
    this.#words.push(words);
    this.#length += words.length;
    return place;
  }

  words(): Int32Array {
    const all = new Int32Array(this.#length);
    let at = 0;
    for (const words of this.#words) {
      all.set(words, at);
      at += words.length;
    }
    return all;
  }
}
