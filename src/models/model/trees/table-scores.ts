import type { BatchMemory } from '../../../base/kernel/batch-memory.ts';
import type { Kernel } from '../../../base/kernel/kernel.ts';
import { BLOCK_ROWS } from './binned-trees.ts';
import type { CompiledTrees } from './compiled-trees.ts';
import { MAX_FEATURES } from './tree-partitions.ts';
import { type TreeTables, treeTables } from './tree-tables.ts';
import { type AddScores, treeScores } from './walk-trees.ts';

/**
 * Like `treeScores`, and with the same scores bit for bit, but several times as fast for many rows: small trees depend on
 * few features, so the sum of several trees can be looked up in a table.
 *
 * The tables are computed once, in some milliseconds. Trees only compare values with cuts, so it is enough to know between
 * which cuts a value lies: its bin (`bins.ts`). Bins that a tree does not tell apart share a cell (`tree-partitions.ts`,
 * `partition.ts`). Trees with nearly the same features form a group (`group-trees.ts`), whose table has the sum of its
 * trees for each combination of cells (`score-tables.ts`). Trees that are too large for a table are walked, by bins too
 * (`binned-trees.ts`). The order of additions does not matter, because all sums are exact (`exact-sums.ts`).
 *
 * The loops over rows are WebAssembly (`assembly/score-block.ts`), which has a copy of the tables in its memory. Measured
 * on the telecom report (91 trees with 6 leaves): 1.0 µs a row instead of 3.1 (test/bench/RESULTS.md).
 *
 * @param memory in which a copy of the tables is kept
 * @param made the tables, if they were computed before
 */
export function tableScores(
  trees: CompiledTrees,
  width: number,
  stride: number,
  memory: BatchMemory,
  made = treeTables(trees, stride),
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

function blockSteps(tables: TreeTables, block: Block): BlockStep[] {
  const { width, memory } = block;
  // Behind those of the features, bins that are all 0, for the features that a table does not have.
  const binsAt = memory.keep(new Uint16Array((width + 1) * BLOCK_ROWS));
  return [
    ...binSteps(tables, block, binsAt),
    ...tableSteps(tables, block, binsAt),
    ...walkSteps(tables, block, binsAt),
  ];
}

const binsOf = (feature: number, binsAt: number): number => binsAt + feature * BLOCK_ROWS * BIN_BYTES;

/** Put the values of the features that trees ask about into bins. */
function binSteps(
  { bins }: TreeTables,
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

/** Look up sums in tables. The index of an entry is made of four features at a time. */
function tableSteps(
  { tables }: TreeTables,
  { width, stride, scoresAt, memory }: Block,
  binsAt: number,
): BlockStep[] {
  const noOffsets = memory.keep(new Uint16Array(1));
  const noIndexes = memory.keep(new Uint16Array(BLOCK_ROWS));
  const indexesAt = memory.keep(new Uint16Array(BLOCK_ROWS));
  const step = stride * NUMBER_BYTES;
  return tables.map(({ score, features, offsets, entries }) => {
    const places = Array.from({ length: MAX_FEATURES }, (_, i) => {
      const own = offsets[i];
      return [binsOf(features[i] ?? width, binsAt), own === undefined ? noOffsets : memory.keep(own)];
    });
    const first = memory.keep(Int32Array.from(places.slice(0, 4).flat()));
    const second = memory.keep(Int32Array.from(places.slice(4).flat()));
    const entriesAt = memory.keep(entries);
    const to = scoresAt + score * NUMBER_BYTES;
    if (features.length <= 4)
      return (kernel, rows) => kernel.addEntries(first, rows, noIndexes, entriesAt, to, step);
    return (kernel, rows) => {
      kernel.setIndexes(second, rows, indexesAt);
      kernel.addEntries(first, rows, indexesAt, entriesAt, to, step);
    };
  });
}

/** Walk down the trees that are too large for a table. */
function walkSteps({ walked }: TreeTables, { stride, scoresAt, memory }: Block, binsAt: number): BlockStep[] {
  if (walked === undefined) return [];
  const [nodes, bits, leaves] = [
    memory.keep(walked.nodes),
    memory.keep(walked.bits),
    memory.keep(walked.leaves),
  ];
  const { roots, depths, scores } = walked;
  const step = stride * NUMBER_BYTES;
  return [
    (kernel, rows) => {
      for (const [tree, root] of roots.entries()) {
        const to = scoresAt + (scores[tree] as number) * NUMBER_BYTES;
        kernel.addTree(nodes, bits, leaves, root, depths[tree] as number, binsAt, to, step, rows);
      }
    },
  ];
}
