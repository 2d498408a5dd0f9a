import type { Binning } from '../features/bins.ts';

/** The bins of all rows; each training uses some of them. */
export interface BinnedTable {
  binnings: readonly Binning[];
  /** By feature, each row's bin. */
  bins: readonly Uint8Array[];
}

/** Some rows, with their gradients and weights (see `packed`) at the same indexes. */
interface WeightedRows {
  order: Int32Array;
  gradients: Float64Array;
  weights: Float64Array;
}

/** Histograms of a table: two numbers per bin, the sums of gradients and of weights. Buffers are reused. */
export class Histograms {
  readonly #table: BinnedTable;
  /** By feature, the offset of its bins. */
  readonly offsets: Int32Array;
  readonly #free: Float64Array[] = [];

  constructor(table: BinnedTable) {
    this.#table = table;
    this.offsets = new Int32Array(table.binnings.length + 1);
    table.binnings.forEach(({ bins }, i) => {
      this.offsets[i + 1] = (this.offsets[i] as number) + 2 * bins;
    });
  }

  /** The content for features other than these is undefined. */
  of(rows: WeightedRows, features: readonly number[]): Float64Array {
    const histogram = this.#free.pop() ?? new Float64Array(this.offsets.at(-1) ?? 0);
    for (const feature of features) {
      const offset = this.offsets[feature] as number;
      histogram.fill(0, offset, this.offsets[feature + 1]);
      addRows(histogram, offset, this.#table.bins[feature] as Uint8Array, rows);
    }
    return histogram;
  }

  subtract(from: Float64Array, what: Float64Array, features: readonly number[]): void {
    for (const feature of features) {
      const end = this.offsets[feature + 1] as number;
      for (let i = this.offsets[feature] as number; i < end; i++)
        from[i] = (from[i] as number) - (what[i] as number);
    }
  }

  release(histogram: Float64Array): void {
    this.#free.push(histogram);
  }
}

/** The hot loop of training. */
function addRows(
  histogram: Float64Array,
  offset: number,
  bins: Uint8Array,
  { order, gradients, weights }: WeightedRows,
): void {
  for (let i = 0; i < order.length; i++) {
    const at = offset + 2 * (bins[order[i] as number] as number);
    histogram[at] = (histogram[at] as number) + (gradients[i] as number);
    histogram[at + 1] = (histogram[at + 1] as number) + (weights[i] as number);
  }
}

/**
 * The second number of a histogram bin packs a sum of hessians and a row count, because a third number per bin would
 * make training 20% slower: hessians as integer multiples of 2^-16, times 2^20, plus 1 per row. Doubles add integers
 * up to 2^53 exactly, which allows 2^17 rows; training uses at most 100,000.
 */
const HESSIAN_UNIT = 2 ** 16;
const COUNT_LIMIT = 2 ** 20;
export const packed = (hessian: number): number => Math.round(hessian * HESSIAN_UNIT) * COUNT_LIMIT + 1;
export const hessianOf = (weight: number): number => Math.floor(weight / COUNT_LIMIT) / HESSIAN_UNIT;
export const rowsIn = (weight: number): number => weight - Math.floor(weight / COUNT_LIMIT) * COUNT_LIMIT;
