import type { Binning } from '../features/bins.ts';

/** The bins of all rows; each training uses some of them. */
export interface BinnedTable {
  binnings: readonly Binning[];
  /** By feature, each row's bin. */
  bins: readonly Uint8Array[];
}

/** Some rows, with their gradients and weights (`packed-weights.ts`) at the same indexes. */
export interface WeightedRows {
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
