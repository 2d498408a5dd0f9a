import { type CompiledTrees, isInSet } from './compiled-trees.ts';

/**
 * What trees can tell apart in the values of one feature. A number's bin is the count of cuts below it, and the last
 * bin is for missing values; a level is its own bin, and bin 0 is for missing values.
 */
export interface FeatureBins {
  /** The numbers that the feature is compared with, in ascending order; undefined if it has levels. */
  cuts: Float64Array | undefined;
  count: number;
  missing: number;
}

/** Bins are stored in 16 bits. */
const MAX_BINS = 1 << 16;

/** The bins of all features; undefined if one has too many. */
export function featureBins({ features, cuts, sets, highest }: CompiledTrees): FeatureBins[] | undefined {
  const compared = Array.from(highest, () => new Set<number>());
  features.forEach((feature, node) => {
    if (feature >= 0 && sets[node] === -1) compared[feature]?.add(cuts[node] as number);
  });
  const all = Array.from(highest, (level, feature): FeatureBins => {
    if (level >= 0) return { cuts: undefined, count: level + 1, missing: 0 };
    const own = Float64Array.from(compared[feature] ?? []).sort();
    return { cuts: own, count: own.length + 2, missing: own.length + 1 };
  });
  return all.every(({ count }) => count <= MAX_BINS) ? all : undefined;
}

/** The number of cuts below a number. */
export function cutsBelow(cuts: Float64Array, value: number): number {
  let from = 0;
  let count = cuts.length;
  while (count > 0) {
    const half = count >> 1;
    if (value > (cuts[from + half] as number)) {
      from += half + 1;
      count -= half + 1;
    } else count = half;
  }
  return from;
}

/** What a node asks of a bin. */
export interface BinConditions {
  /** By node that compares a number, the last bin that goes left. */
  last: Int32Array;
  /** Whether a value in this bin goes left at a node. */
  goesLeft: (node: number, bin: number) => boolean;
}

export function binConditions(trees: CompiledTrees, bins: readonly FeatureBins[]): BinConditions {
  const { features, cuts, missing, sets } = trees;
  const last = Int32Array.from(features, (feature, node) =>
    feature < 0 ? 0 : cutsBelow(bins[feature]?.cuts ?? new Float64Array(), cuts[node] as number),
  );
  return {
    last,
    goesLeft(node, bin) {
      const { missing: missingBin } = bins[features[node] as number] as FeatureBins;
      if (bin === missingBin) return missing[node] === 1;
      const set = sets[node] as number;
      return set < 0 ? bin <= (last[node] as number) : isInSet(trees, set, bin);
    },
  };
}

/**
 * The bins of a feature in cells: all conditions so far treat the bins of a cell alike. Cells are numbered from 0 in
 * the order of their first bins.
 */
interface Partition {
  /** By bin, its cell. */
  cells: Uint16Array;
  /** By cell, its first bin. */
  firsts: number[];
}

/** Bins that all conditions treat alike, of levels: there are few. */
export const byConditions = (bins: number, conditions: readonly ((bin: number) => boolean)[]): Partition =>
  conditions.reduce(divide, { cells: new Uint16Array(bins), firsts: [0] });

/**
 * Bins that all comparisons treat alike, of numbers: there may be as many as cuts.
 *
 * @param last of each comparison, the last bin that goes left
 * @param missing the last bin, which is a cell of its own
 */
export function byComparisons(last: readonly number[], missing: number): Partition {
  const ends = Int32Array.from(new Set(last)).sort();
  const cells = new Uint16Array(missing + 1);
  const firsts: number[] = [];
  let cell = 0;
  for (let bin = 0; bin < missing; bin++) {
    if (bin > (ends[cell] ?? missing)) cell++;
    firsts[cell] ??= bin;
    cells[bin] = cell;
  }
  cells[missing] = firsts.push(missing) - 1;
  return { cells, firsts };
}

/** Divides the cells by a condition on bins. */
function divide(
  { cells: before, firsts: { length: size } }: Partition,
  condition: (bin: number) => boolean,
): Partition {
  const numbers = new Int32Array(2 * size).fill(-1);
  const cells = new Uint16Array(before.length);
  const firsts: number[] = [];
  for (let bin = 0; bin < before.length; bin++) {
    const key = 2 * (before[bin] as number) + (condition(bin) ? 1 : 0);
    if (numbers[key] === -1) numbers[key] = firsts.push(bin) - 1;
    cells[bin] = numbers[key] as number;
  }
  return { cells, firsts };
}
