import { binConditions, type FeatureBins, featureBins } from './bins.ts';
import type { CompiledTrees } from './compiled-trees.ts';

/** Rows of which the bins are computed at once: in 16 bits, they stay in the core's fastest cache. */
export const BLOCK_ROWS = 256;
/** The bin of a missing number. */
export const MISSING_BIN = 0xffff;

const NODE_WORDS = 4;
const NODE_BYTES = NODE_WORDS * Int32Array.BYTES_PER_ELEMENT;
const TREE_WORDS = 3;
/** Words without a bit, for all bins: the set of nodes that have none. */
const NO_SET_WORDS = (MISSING_BIN + 1) / 32;
/** Features are numbered in 16 bits, and places of nodes in 32. */
const MAX_FEATURES = 1 << 16;
const MAX_NODES = 1 << 27;

/**
 * Trees of any size for `kernelScores`, walked down by the bins of a row (assembly/walk-trees.ts): plain data, which
 * threads can share. Unlike nodes of `CompiledTrees`, nodes here need no branch that a processor could not predict.
 */
export interface NodeTable {
  kind: 'nodes';
  bins: readonly FeatureBins[];
  /** By tree: the place of its root in bytes, that of its score in a row in bytes, and whether it tests sets. */
  trees: Int32Array;
  /**
   * By node, in 16 bytes: its feature, 16 bits; how many bins are left, 16 bits; the place of its right node, and in the
   * lowest bit whether missing numbers go left, because 1 added to their bin gives 0; the place of its set in bytes. A
   * leaf is its own right node, and no bin is left of it.
   */
  nodes: Int32Array;
  /** By node, the score of a leaf. */
  leaves: Float64Array | Float32Array;
  /** By bin of a level a bit: whether it goes left. */
  sets: Int32Array;
}

/** @returns undefined if there are too many nodes, features or bins */
export function nodeTable(compiled: CompiledTrees): NodeTable | undefined {
  const { features, cuts, right, missing, sets, roots, scores, isSingle } = compiled;
  const bins = featureBins(compiled);
  if (bins === undefined || features.length > MAX_NODES || bins.length > MAX_FEATURES) return undefined;
  const { last } = binConditions(compiled, bins);
  const own = new NodeSets(compiled);
  const nodes = new Int32Array(NODE_WORDS * features.length);
  features.forEach((feature, node) => {
    const at = NODE_WORDS * node;
    if (feature < 0) {
      nodes[at + 1] = NODE_BYTES * node;
      return;
    }
    const set = sets[node] as number;
    const isMissingLeft = missing[node] as number;
    const isNumber = set < 0;
    const below = isNumber ? (last[node] as number) + 1 + isMissingLeft : 0;
    nodes[at] = feature | (below << 16);
    nodes[at + 1] = (NODE_BYTES * (right[node] as number)) | (isNumber ? isMissingLeft : 0);
    nodes[at + 2] = isNumber ? 0 : own.place(set, isMissingLeft === 1);
  });
  const trees = new Int32Array(TREE_WORDS * roots.length);
  roots.forEach((root, tree) => {
    const score = Float64Array.BYTES_PER_ELEMENT * (scores[tree] as number);
    trees.set([NODE_BYTES * root, score, Number(hasSets(compiled, root))], TREE_WORDS * tree);
  });
  const leaves = isSingle ? Float32Array.from(cuts) : Float64Array.from(cuts);
  return { kind: 'nodes', bins, trees, nodes, leaves, sets: own.words() };
}

/** Nodes are in preorder, so those of a tree end before as many leaves as splits and one more. */
function hasSets({ features, sets }: CompiledTrees, root: number): boolean {
  for (let [node, open] = [root, 1]; open > 0; node++) {
    if (features[node] === -1) open--;
    else if ((sets[node] as number) >= 0) return true;
    else open++;
  }
  return false;
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
