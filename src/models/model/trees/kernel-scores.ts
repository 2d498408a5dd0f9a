import type { BatchMemory } from '../../../base/kernel/batch-memory.ts';
import type { Kernel } from '../../../base/kernel/kernel.ts';
import type { CompiledTrees } from './compiled-trees.ts';
import { BLOCK_WORDS, type LeafMasks, leafMasks } from './leaf-masks.ts';
import {
  BLOCK_ROWS,
  CHILD_WORD,
  FEATURE_BINS,
  MISSING_BIN,
  NODE_WORDS,
  type NodeTable,
  nodeTable,
} from './node-table.ts';
import { type AddScores, treeScores } from './walk-trees.ts';

/** Trees as a kernel reads them, which takes some milliseconds to compute. */
export type PreparedTrees = LeafMasks | NodeTable;

/** @returns undefined if a kernel cannot read them: a feature has too many bins */
export const preparedTrees = (trees: CompiledTrees, stride: number): PreparedTrees | undefined =>
  leafMasks(trees, stride) ?? nodeTable(trees);

/**
 * Like `treeScores`, and with the same scores bit for bit, but many times as fast for many rows.
 *
 * Trees only compare values with cuts, so it is enough to know between which cuts a value lies: its bin (`bins.ts`).
 * Small trees are not walked down: for each bin of each feature, a mask has the leaves of all trees at which a row with
 * that bin may end (`leaf-masks.ts`). The masks of a row's bins, combined by AND, leave one leaf of each tree:
 * QuickScorer (Lucchese et al., SIGIR 2015), with bins in place of comparisons as in RapidScorer (Ye et al., KDD 2018).
 * Larger ones are walked down by bins (`node-table.ts`). Leaves are added in the order of the trees.
 *
 * The loops over rows are WebAssembly (`assembly/score-block.ts`, `assembly/walk-trees.ts`), which has a copy of the
 * trees in its memory. Measurements are in test/bench/RESULTS.md.
 *
 * @param memory in which a copy of the trees is kept
 * @param prepared what `preparedTrees` returns, if it was computed before
 */
export function kernelScores(
  trees: CompiledTrees,
  width: number,
  stride: number,
  memory: BatchMemory,
  prepared = preparedTrees(trees, stride),
): AddScores {
  if (prepared === undefined) return treeScores(trees, width, stride);
  const valuesAt = memory.keep(new Float64Array(BLOCK_ROWS * width));
  const scoresAt = memory.keep(new Float64Array(BLOCK_ROWS * stride));
  const steps = blockSteps(prepared, { trees, width, stride, valuesAt, scoresAt, memory });
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

function blockSteps(prepared: PreparedTrees, block: Block): BlockStep[] {
  const binsAt = block.memory.keep(new Uint16Array(block.width * FEATURE_BINS));
  return [
    ...binSteps(prepared, block, binsAt),
    ...(prepared.kind === 'masks' ? leafSteps(prepared, block, binsAt) : [walkStep(prepared, block, binsAt)]),
  ];
}

const binsOf = (feature: number, binsAt: number): number => binsAt + feature * FEATURE_BINS * BIN_BYTES;

/** Put the values of the features that trees ask about into bins. */
function binSteps(
  { kind, bins }: PreparedTrees,
  { trees, width, valuesAt, memory }: Block,
  binsAt: number,
): BlockStep[] {
  const used = new Set(trees.features);
  const step = width * NUMBER_BYTES;
  return bins.flatMap(({ cuts, count, missing: last }, feature): BlockStep[] => {
    if (!used.has(feature)) return [];
    const from = valuesAt + feature * NUMBER_BYTES;
    const to = binsOf(feature, binsAt);
    if (cuts === undefined) return [(kernel, rows) => kernel.binLevels(from, step, rows, count, last, to)];
    const cutsAt = memory.keep(cuts);
    const zero = trees.zeros[feature] as number;
    const [missing, others] = kind === 'masks' ? [last, 0] : [MISSING_BIN, to + BLOCK_ROWS * BIN_BYTES];
    return [
      (kernel, rows) => kernel.binNumbers(from, step, rows, cutsAt, cuts.length, zero, missing, to, others),
    ];
  });
}

/** Walks down the trees. */
function walkStep(
  { trees, nodes, leaves, sets }: NodeTable,
  { trees: { isSingle, roots }, stride, scoresAt, memory }: Block,
  binsAt: number,
): BlockStep {
  const [treesAt, nodesAt] = [memory.keep(trees), memory.keep(nodes)];
  const [leavesAt, setsAt] = [memory.keep(leaves), memory.keep(sets)];
  const kept = new Int32Array(memory.buffer, nodesAt, nodes.length);
  for (let at = CHILD_WORD; at < kept.length; at += NODE_WORDS) kept[at] = nodesAt + (kept[at] as number);
  const openAt = memory.keep(new Uint16Array(BLOCK_ROWS + 8));
  const endsAt = memory.keep(new Int32Array(BLOCK_ROWS + 1));
  const [count, step] = [roots.length, stride * NUMBER_BYTES];
  return (kernel, rows) =>
    kernel.walkTrees(
      treesAt,
      count,
      nodesAt,
      leavesAt,
      setsAt,
      binsAt,
      openAt,
      endsAt,
      rows,
      scoresAt,
      step,
      Number(isSingle),
    );
}

/** Add the leaves at which rows end. */
function leafSteps(
  { blocks }: LeafMasks,
  { trees, stride, scoresAt, memory }: Block,
  binsAt: number,
): BlockStep[] {
  const step = stride * NUMBER_BYTES;
  const isSingle = Number(trees.isSingle);
  const wordsAt = memory.keep(new Uint16Array(2 * BLOCK_WORDS));
  return blocks.map(({ score, features, masks, leaves }) => {
    const places = features.flatMap(({ feature, cells }) => [binsOf(feature, binsAt), memory.keep(cells)]);
    const [placesAt, count] = [memory.keep(Int32Array.from(places)), features.length];
    const [masksAt, leavesAt] = [memory.keep(masks), memory.keep(leaves)];
    const to = scoresAt + score * NUMBER_BYTES;
    return (kernel, rows) =>
      kernel.addLeaves(placesAt, count, masksAt, leavesAt, wordsAt, rows, to, step, isSingle);
  });
}
