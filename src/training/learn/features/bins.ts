import { cutsBelow } from '../../../models/model/trees/bins.ts';

/** A bin is stored in a byte. */
const MAX_BINS = 256;

/** The values of one feature. NaN is a missing value; a categorical feature (`levels`) has values 1, 2, 3 … */
export interface Feature {
  kind: 'ordered' | 'levels';
  values: Float64Array;
}

/** How a feature's values are binned. Bin 0 holds missing values and levels above `bins - 1`. */
export interface Binning {
  kind: Feature['kind'];
  /** For an ordered feature, ascending: bin i holds the values above cuts[i - 2] and up to cuts[i - 1]. */
  cuts: Float64Array;
  /** Including bin 0. */
  bins: number;
}

const MIN_BINS = 33;
/** The most bins of all features together. This limits the memory of histograms: one per leaf, 16 bytes per bin. */
const MAX_TOTAL_BINS = 1 << 13;
/** Bins with fewer rows cost time and are useless, because leaves have a minimum size. */
const MIN_BIN_ROWS = 4;
/** More values than this do not change the quantiles noticeably. */
const MAX_SORTED = 20_000;

/** @param features the number of features in the table: the more, the fewer bins each gets */
export function learnBinning({ kind, values }: Feature, features: number): Binning {
  const affordable = Math.floor(Math.min(MAX_TOTAL_BINS / features, values.length / MIN_BIN_ROWS));
  const most = Math.max(MIN_BINS, Math.min(MAX_BINS, affordable));
  if (kind === 'levels') {
    const highest = values.reduce((high, value) => (value > high ? value : high), 0);
    return { kind, cuts: new Float64Array(0), bins: Math.min(MAX_BINS, highest + 1) };
  }
  const cuts = cutsOf(sortedSample(values), most - 1);
  return { kind, cuts, bins: cuts.length + 2 };
}

function sortedSample(values: Float64Array): Float64Array {
  const present = values.filter(value => !Number.isNaN(value));
  const step = Math.max(1, present.length / MAX_SORTED);
  const sample =
    step === 1
      ? present
      : Float64Array.from({ length: MAX_SORTED }, (_, i) => present[Math.floor(i * step)] ?? 0);
  return sample.sort();
}

/** Cuts halfway between adjacent distinct values; with more than `bins` values, between their quantiles. */
function cutsOf(sorted: Float64Array, bins: number): Float64Array {
  const distinct = sorted.filter((value, i) => i === 0 || value !== sorted[i - 1]);
  const edges =
    distinct.length <= bins
      ? distinct
      : Float64Array.from({ length: bins }, (_, i) => sorted[Math.floor((i * sorted.length) / bins)] ?? 0);
  const cuts: number[] = [];
  for (let i = 1; i < edges.length; i++) {
    const [low, high] = [edges[i - 1] ?? 0, edges[i] ?? 0];
    if (high > low) cuts.push(halfway(low, high));
  }
  return Float64Array.from(cuts);
}

/** At least `low` and below `high`, even if they are adjacent doubles or their sum overflows. */
function halfway(low: number, high: number): number {
  const middle = low / 2 + high / 2;
  return middle >= low && middle < high ? middle : low;
}

/** Each row's bin. */
export function binsOf({ values }: Feature, { kind, cuts, bins }: Binning): Uint8Array {
  const result = new Uint8Array(values.length);
  for (let row = 0; row < values.length; row++) {
    const value = values[row] as number; // Inside the array, as all indices of these loops are.
    if (kind === 'levels') result[row] = value >= 1 && value < bins ? value : 0;
    else result[row] = Number.isNaN(value) ? 0 : 1 + cutsBelow(cuts, value);
  }
  return result;
}
