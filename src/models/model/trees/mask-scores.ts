import type { BatchMemory } from '../../../base/kernel/batch-memory.ts';
import type { Kernel } from '../../../base/kernel/kernel.ts';
import type { CompiledTrees } from './compiled-trees.ts';
import { BLOCK_WORDS, type LeafMasks, leafMasks } from './leaf-masks.ts';
import { type AddScores, treeScores } from './walk-trees.ts';

/** Rows of which the bins are computed at once: in 16 bits, they stay in the core's fastest cache. */
const BLOCK_ROWS = 256;

/**
 * Like `treeScores`, and with the same scores bit for bit, but many times as fast for many rows: no tree is walked
 * down.
 *
 * Trees only compare values with cuts, so it is enough to know between which cuts a value lies: its bin (`bins.ts`).
 * For each bin of each feature, a mask has the leaves of all trees at which a row with that bin may end
 * (`leaf-masks.ts`). The masks of a row's bins, combined by AND, leave one leaf of each tree: QuickScorer (Lucchese et
 * al., SIGIR 2015), with bins in place of comparisons as in RapidScorer (Ye et al., KDD 2018). The order of additions
 * does not matter, because all sums are exact (`exactSums`).
 *
 * The loops over rows are WebAssembly (`assembly/score-block.ts`), which has a copy of the masks in its memory.
 * Measurements are in test/bench/RESULTS.md.
 *
 * @param memory in which a copy of the masks is kept
 * @param made the masks, if they were computed before
 */
export function maskScores(
  trees: CompiledTrees,
  width: number,
  stride: number,
  memory: BatchMemory,
  made = leafMasks(trees, stride),
): AddScores {
  if (made === undefined) return treeScores(trees, width, stride);
  const valuesAt = memory.keep(new Float64Array(BLOCK_ROWS * width));
  const scoresAt = memory.keep(new Float64Array(BLOCK_ROWS * stride));
  const steps = blockSteps(made, { trees, width, stride, valuesAt, scoresAt, memory });
  const { kernel } = memory;
  return (values, rows, scores) => {
    // Not kept, because the memory may have grown.
    const blockValues = new Float64Array(memory.buffer, valuesAt, BLOCK_ROWS * width);
    const blockScores = new Float64Array(memory.buffer, scoresAt, BLOCK_ROWS * stride);
    for (let from = 0; from < rows; from += BLOCK_ROWS) {
      const to = Math.min(rows, from + BLOCK_ROWS);
      blockValues.set(values.subarray(from * width, to * width));
      blockScores.set(scores.subarray(from * stride, to * stride));
      for (const step of steps) step(kernel, to - from);
      scores.set(blockScores.subarray(0, (to - from) * stride), from * stride);
    }
  };
}

const NUMBER_BYTES = Float64Array.BYTES_PER_ELEMENT;
const BIN_BYTES = Uint16Array.BYTES_PER_ELEMENT;

/** One of those that turn a block's values into scores. */
type BlockStep = (kernel: Kernel, rows: number) => void;

interface Block {
  trees: CompiledTrees;
  width: number;
  stride: number;
  valuesAt: number;
  scoresAt: number;
  memory: BatchMemory;
}

function blockSteps(masks: LeafMasks, block: Block): BlockStep[] {
  const binsAt = block.memory.keep(new Uint16Array(block.width * BLOCK_ROWS));
  return [...binSteps(masks, block, binsAt), ...leafSteps(masks, block, binsAt)];
}

const binsOf = (feature: number, binsAt: number): number => binsAt + feature * BLOCK_ROWS * BIN_BYTES;

/** Put the values of the features that trees ask about into bins. */
function binSteps(
  { bins }: LeafMasks,
  { trees, width, valuesAt, memory }: Block,
  binsAt: number,
): BlockStep[] {
  const used = new Set(trees.features);
  const step = width * NUMBER_BYTES;
  return bins.flatMap(({ cuts, count, missing }, feature): BlockStep[] => {
    if (!used.has(feature)) return [];
    const from = valuesAt + feature * NUMBER_BYTES;
    const to = binsOf(feature, binsAt);
    if (cuts === undefined) return [(kernel, rows) => kernel.binLevels(from, step, rows, count, missing, to)];
    const cutsAt = memory.keep(cuts);
    return [(kernel, rows) => kernel.binNumbers(from, step, rows, cutsAt, cuts.length, missing, to)];
  });
}

/** Add the leaves at which rows end. */
function leafSteps({ blocks }: LeafMasks, { stride, scoresAt, memory }: Block, binsAt: number): BlockStep[] {
  const step = stride * NUMBER_BYTES;
  const wordsAt = memory.keep(new Uint16Array(2 * BLOCK_WORDS));
  return blocks.map(({ score, features, masks, leaves }) => {
    const places = features.flatMap(({ feature, cells }) => [binsOf(feature, binsAt), memory.keep(cells)]);
    const [placesAt, count] = [memory.keep(Int32Array.from(places)), features.length];
    const [masksAt, leavesAt] = [memory.keep(masks), memory.keep(leaves)];
    const to = scoresAt + score * NUMBER_BYTES;
    return (kernel, rows) => kernel.addLeaves(placesAt, count, masksAt, leavesAt, wordsAt, rows, to, step);
  });
}
