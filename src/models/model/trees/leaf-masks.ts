import {
  type BinConditions,
  binConditions,
  byComparisons,
  byConditions,
  type FeatureBins,
  featureBins,
} from './bins.ts';
import type { CompiledTrees } from './compiled-trees.ts';

/** Leaves of a word, a bit each. A larger tree has several words. */
const WORD_LEAVES = 16;
/** Words of a block: its masks for a bin take 64 bytes, as one line of a processor's cache. */
export const BLOCK_WORDS = 32;
const BLOCK_LEAVES = BLOCK_WORDS * WORD_LEAVES;
/**
 * Leaves of a tree and, with those that only fill up a word, of all. Models that `train` makes have far fewer; with
 * more, masks take too long to compute, and rows are scored no faster than by walking.
 */
const MAX_TREE_LEAVES = 64;
const MAX_LEAVES = 1 << 17;
/** Masks are found by numbers of 16 bits. */
const MAX_MASKS = 1 << 16;

/** Trees as masks, for `kernelScores`: plain data, which threads can share. */
export interface LeafMasks {
  kind: 'masks';
  bins: readonly FeatureBins[];
  blocks: readonly MaskBlock[];
}

/** Some trees that add to the same score, or parts of them. */
interface MaskBlock {
  /** The score that they add to. */
  score: number;
  /** The features that the trees ask about, and for each of them by bin the index of its masks. */
  features: readonly { feature: number; cells: Uint16Array }[];
  /** `BLOCK_WORDS` each: a bit is 1 if the bin may end at the leaf. */
  masks: Uint16Array;
  /** By word, the scores of its leaves, from the least significant bit on, and 0 for the word without bits. */
  leaves: Float64Array | Float32Array;
}

/**
 * A node that is not a leaf. Leaves are numbered from left to right, tree by tree, each tree from the start of a word.
 */
interface Split {
  node: number;
  /** The first leaf on its left, the first one on its right, and the one after those. */
  from: number;
  middle: number;
  to: number;
}

interface Binned extends BinConditions {
  trees: CompiledTrees;
  bins: readonly FeatureBins[];
}

/**
 * Computes the masks of trees, in some milliseconds.
 *
 * @returns undefined if there are too many leaves or bins
 */
export function leafMasks(trees: CompiledTrees, stride: number): LeafMasks | undefined {
  const counts = leafCounts(trees);
  let sum = 0;
  for (const root of trees.roots) {
    const own = counts[root] as number;
    sum += Math.ceil(own / WORD_LEAVES) * WORD_LEAVES;
    if (own > MAX_TREE_LEAVES || sum > MAX_LEAVES) return undefined;
  }
  const bins = featureBins(trees);
  if (bins === undefined) return undefined;
  const binned = { trees, bins, ...binConditions(trees, bins) };
  const blocks = Array.from({ length: stride }, (_, score) => {
    const roots = trees.roots.filter((_, tree) => trees.scores[tree] === score);
    return blocksOf(binned, score, placeLeaves(trees, roots, counts));
  }).flat();
  const fit = blocks.every(({ masks }) => masks.length <= MAX_MASKS * BLOCK_WORDS);
  return fit ? { kind: 'masks', bins, blocks } : undefined;
}

/** By node, the leaves below it; children come after their parents. */
function leafCounts({ features, right }: CompiledTrees): Float64Array {
  const counts = new Float64Array(features.length);
  for (let node = features.length - 1; node >= 0; node--)
    counts[node] =
      features[node] === -1 ? 1 : (counts[node + 1] as number) + (counts[right[node] as number] as number);
  return counts;
}

interface PlacedLeaves {
  splits: Split[];
  /** The scores of the leaves by their numbers; 0 for those that only fill up a word. */
  scores: number[];
}

function placeLeaves(
  { features, cuts, right }: CompiledTrees,
  roots: Int32Array,
  counts: Float64Array,
): PlacedLeaves {
  const splits: Split[] = [];
  const scores: number[] = [];
  for (const root of roots) {
    const open = [root];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (features[node] === -1) {
        scores.push(cuts[node] as number);
        continue;
      }
      const from = scores.length;
      const middle = from + (counts[node + 1] as number);
      splits.push({ node, from, middle, to: from + (counts[node] as number) });
      open.push(right[node] as number, node + 1);
    }
    while (scores.length % WORD_LEAVES > 0) scores.push(0);
  }
  return { splits, scores };
}

function blocksOf(binned: Binned, score: number, { splits, scores }: PlacedLeaves): MaskBlock[] {
  const inBlocks = Array.from({ length: Math.ceil(scores.length / BLOCK_LEAVES) }, (): Split[] => []);
  for (const split of splits)
    for (let at = Math.floor(split.from / BLOCK_LEAVES); at * BLOCK_LEAVES < split.to; at++)
      inBlocks[at]?.push(split);
  return inBlocks.map((own, i) => {
    const first = i * BLOCK_LEAVES;
    const size = BLOCK_WORDS * (WORD_LEAVES + 1);
    const leaves = binned.trees.isSingle ? new Float32Array(size) : new Float64Array(size);
    scores.slice(first, first + BLOCK_LEAVES).forEach((value, leaf) => {
      leaves[leaf + Math.floor(leaf / WORD_LEAVES)] = value;
    });
    return { score, leaves, ...masksOf(binned, own, first) };
  });
}

/** @param first the first leaf of the block */
function masksOf(
  { trees, bins, goesLeft, last }: Binned,
  splits: readonly Split[],
  first: number,
): Pick<MaskBlock, 'features' | 'masks'> {
  const byFeature = new Map<number, Split[]>();
  for (const split of splits) {
    const feature = trees.features[split.node] as number;
    const known = byFeature.get(feature);
    if (known === undefined) byFeature.set(feature, [split]);
    else known.push(split);
  }
  const masks: number[] = [];
  const features = Array.from(byFeature, ([feature, own]) => {
    const { cuts, count, missing } = bins[feature] as FeatureBins;
    const partition =
      cuts === undefined
        ? byConditions(
            count,
            own.map(
              ({ node }) =>
                bin =>
                  goesLeft(node, bin),
            ),
          )
        : byComparisons(
            own.map(({ node }) => last[node] as number),
            missing,
          );
    const before = masks.length / BLOCK_WORDS;
    for (const bin of partition.firsts) masks.push(...maskOf(own, bin, { goesLeft, first }));
    return { feature, cells: partition.cells.map(cell => before + cell) };
  });
  return { features, masks: Uint16Array.from(masks) };
}

/** The leaves at which a bin may end, by what these nodes ask. */
function maskOf(
  splits: readonly Split[],
  bin: number,
  { goesLeft, first }: Pick<BinConditions, 'goesLeft'> & { first: number },
): Uint16Array {
  const mask = new Uint16Array(BLOCK_WORDS).fill(0xffff);
  for (const { node, from, middle, to } of splits) {
    const isLeft = goesLeft(node, bin);
    const start = Math.max(0, (isLeft ? middle : from) - first);
    const end = Math.min(BLOCK_LEAVES, (isLeft ? to : middle) - first);
    for (let leaf = start; leaf < end; leaf++) {
      const word = Math.floor(leaf / WORD_LEAVES);
      mask[word] = (mask[word] as number) & ~(1 << (leaf % WORD_LEAVES));
    }
  }
  return mask;
}
