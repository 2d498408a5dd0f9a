import { BLOCK_ROWS } from './binned-trees.ts';
import { binOf, type FeatureBins } from './bins.ts';
import type { CompiledTrees } from './compiled-trees.ts';
import type { ScoreTable } from './score-tables.ts';
import { treeTables } from './tree-tables.ts';
import { addBinned } from './walk-binned.ts';
import { type AddScores, treeScores } from './walk-trees.ts';

/**
 * Like `treeScores`, and with the same scores bit for bit, but several times as fast for many rows: small trees depend on
 * few features, so the sum of several trees can be looked up in a table.
 *
 * The tables are computed once, in some milliseconds. Trees only compare values with cuts, so it is enough to know between
 * which cuts a value lies: its bin (`bins.ts`). Bins that a tree does not tell apart share a cell (`tree-partitions.ts`,
 * `partition.ts`). Trees with nearly the same features form a group (`group-trees.ts`), whose table has the sum of its
 * trees for each combination of cells (`score-tables.ts`). Trees that are too large for a table are walked, by bins too
 * (`walk-binned.ts`). The order of additions does not matter, because all sums are exact (`exact-sums.ts`).
 *
 * Measured on the telecom report (91 trees with 6 leaves): 1.0 µs a row instead of 3.1 (test/bench/RESULTS.md).
 *
 * @param made the tables, if they were computed before
 */
export function tableScores(
  trees: CompiledTrees,
  width: number,
  stride: number,
  made = treeTables(trees, stride),
): AddScores {
  if (made === undefined) return treeScores(trees, width, stride);
  const { bins, tables, walked } = made;
  const binned = new Uint16Array((width + 1) * BLOCK_ROWS);
  const used = usedFeatures(trees, bins);
  const apply = tables.map(table => lookUp(table, binned, { none: width * BLOCK_ROWS, stride }));
  return (values, rows, scores) => {
    for (let from = 0; from < rows; from += BLOCK_ROWS) {
      const count = Math.min(BLOCK_ROWS, rows - from);
      for (const { feature, bins } of used)
        binFeature(binned, feature * BLOCK_ROWS, bins, values, from * width + feature, width, count);
      for (const add of apply) add(scores, from * stride, count);
      if (walked !== undefined) addBinned(walked, binned, count, scores, from * stride, stride);
    }
  };
}

function usedFeatures({ features }: CompiledTrees, bins: readonly FeatureBins[]) {
  const used = new Set(features);
  return bins.flatMap((own, feature) => (used.has(feature) ? [{ feature, bins: own }] : []));
}

/** Writes the bins of a feature's values, `count` rows from `at` in steps of `step`. */
function binFeature(
  binned: Uint16Array,
  to: number,
  { cuts, missing }: FeatureBins,
  values: Float64Array,
  at: number,
  step: number,
  count: number,
): void {
  if (cuts === undefined)
    for (let row = 0; row < count; row++) {
      const value = values[at + row * step] as number;
      binned[to + row] = Number.isNaN(value) ? missing : value;
    }
  else
    for (let row = 0; row < count; row++) {
      const value = values[at + row * step] as number;
      binned[to + row] = Number.isNaN(value) ? missing : binOf(cuts, value);
    }
}

/** For up to four features of a table: where their bins are, and what these add to the index of an entry. */
interface Four {
  at: readonly [number, number, number, number];
  offsets: readonly [Uint16Array, Uint16Array, Uint16Array, Uint16Array];
}

type AddTable = (scores: Float64Array, at: number, rows: number) => void;

/** @param none where the bins are all 0, for the features that a table does not have */
function lookUp(
  { score, features, offsets, entries }: ScoreTable,
  binned: Uint16Array,
  { none, stride }: { none: number; stride: number },
): AddTable {
  const four = (from: number): Four => {
    const at = (i: number) =>
      from + i < features.length ? (features[from + i] as number) * BLOCK_ROWS : none;
    const offset = (i: number) => offsets[from + i] ?? NO_OFFSETS;
    return { at: [at(0), at(1), at(2), at(3)], offsets: [offset(0), offset(1), offset(2), offset(3)] };
  };
  const [first, second] = [four(0), four(4)];
  const indexes = new Uint16Array(BLOCK_ROWS);
  const isWide = features.length > 4;
  return (scores, at, rows) => {
    if (isWide) setIndexes(indexes, rows, binned, second);
    addEntries(scores, { at: at + score, stride, rows }, entries, indexes, binned, first);
  };
}

const NO_OFFSETS = new Uint16Array(1);

/** The part of the entries' indexes that four features make. All indexes below are within the arrays by construction. */
function setIndexes(indexes: Uint16Array, rows: number, binned: Uint16Array, { at, offsets }: Four): void {
  const [a, b, c, d] = at;
  const [ofA, ofB, ofC, ofD] = offsets;
  for (let row = 0; row < rows; row++)
    indexes[row] =
      (ofA[binned[a + row] as number] as number) +
      (ofB[binned[b + row] as number] as number) +
      (ofC[binned[c + row] as number] as number) +
      (ofD[binned[d + row] as number] as number);
}

/** Adds the entries at `indexes`, plus what four more features make, to the scores from `at` in steps of `stride`. */
function addEntries(
  scores: Float64Array,
  { at: first, stride, rows }: { at: number; stride: number; rows: number },
  entries: Float64Array,
  indexes: Uint16Array,
  binned: Uint16Array,
  { at, offsets }: Four,
): void {
  const [a, b, c, d] = at;
  const [ofA, ofB, ofC, ofD] = offsets;
  let to = first;
  for (let row = 0; row < rows; row++) {
    const entry =
      (indexes[row] as number) +
      (ofA[binned[a + row] as number] as number) +
      (ofB[binned[b + row] as number] as number) +
      (ofC[binned[c + row] as number] as number) +
      (ofD[binned[d + row] as number] as number);
    scores[to] = (scores[to] as number) + (entries[entry] as number);
    to += stride;
  }
}
