import type { Binning } from '../features/bins.ts';
import { hessianOf, rowsIn } from './histograms.ts';
import { type FoundSplit, type NodeSplit, type Sums, TINY, type TreeSettings } from './tree.ts';

const MIN_GAIN = 1e-7;
const MIN_HESSIAN = 1e-3;
/** Smoothing: rows of mean hessian added to each level before sorting, so that rare levels end up near the middle. */
const LEVEL_SMOOTHING = 10;

/** The best split of a node according to its histogram; undefined if none reduces the loss. */
export function findSplit(
  histogram: Float64Array,
  offsets: Int32Array,
  binnings: readonly Binning[],
  features: readonly number[],
  total: Sums,
  settings: TreeSettings,
): FoundSplit | undefined {
  const search = new Search(histogram, total, settings);
  for (const feature of features) {
    const { kind, bins } = binnings[feature] as Binning;
    const offset = offsets[feature] as number;
    if (kind === 'levels') search.levels(feature, offset, bins);
    else search.ordered(feature, offset, bins);
  }
  return search.found();
}

class Search {
  readonly #histogram: Float64Array;
  readonly #total: Sums;
  readonly #settings: TreeSettings;
  readonly #parent: number;
  #gain = MIN_GAIN;
  #split: NodeSplit | undefined;
  #left: Sums = { gradient: 0, hessian: 0, count: 0 };

  constructor(histogram: Float64Array, total: Sums, settings: TreeSettings) {
    this.#histogram = histogram;
    this.#total = total;
    this.#settings = settings;
    this.#parent = total.gradient ** 2 / (total.hessian + settings.l2 + TINY);
  }

  found(): FoundSplit | undefined {
    if (this.#split === undefined) return undefined;
    const left = this.#left;
    const right = {
      gradient: this.#total.gradient - left.gradient,
      hessian: this.#total.hessian - left.hessian,
      count: this.#total.count - left.count,
    };
    return { split: this.#split, gain: this.#gain, left, right };
  }

  /** Tries all cuts, with the missing values on the right and, if there are any, also on the left. */
  ordered(feature: number, offset: number, bins: number): void {
    const histogram = this.#histogram;
    const missing = rowsIn(histogram[offset + 1] as number);
    for (let side = 0; side < (missing > 0 ? 2 : 1); side++) {
      let gradient = side === 1 ? (histogram[offset] as number) : 0;
      let weight = side === 1 ? (histogram[offset + 1] as number) : 0;
      // Up to the second-last bin; if values are missing, a cut after the last bin separates them from all others.
      const last = missing > 0 && side === 0 ? bins - 1 : bins - 2;
      for (let bin = 1; bin <= last; bin++) {
        const at = offset + 2 * bin;
        const rows = histogram[at + 1] as number;
        if (rows === 0) continue;
        gradient += histogram[at] as number;
        weight += rows;
        const count = rowsIn(weight);
        const hessian = hessianOf(weight);
        const gain = this.#gainOf(gradient, hessian, count);
        if (gain > this.#gain) {
          const missingLeft = missing > 0 ? side === 1 : 2 * count > this.#total.count;
          this.#keep({ feature, bin, levels: undefined, missingLeft }, gain, gradient, hessian, count);
        }
      }
    }
  }

  /** Sorts levels by mean gradient and tries all prefixes as the left side (Fisher 1958); rare levels go right. */
  levels(feature: number, offset: number, bins: number): void {
    const ranked = this.#ranked(offset, bins);
    this.#prefixes(feature, offset, ranked);
    this.#prefixes(feature, offset, ranked.toReversed());
  }

  /** Sorts the bins with enough rows, including that of missing values. */
  #ranked(offset: number, bins: number): number[] {
    const histogram = this.#histogram;
    const meanHessian = this.#total.hessian / this.#total.count;
    const scored: { bin: number; score: number }[] = [];
    for (let bin = 0; bin < bins; bin++) {
      const weight = histogram[offset + 2 * bin + 1] as number;
      const count = rowsIn(weight);
      if (count === 0 || 2 * count < this.#settings.leafRows) continue;
      const smoothed = hessianOf(weight) + LEVEL_SMOOTHING * meanHessian;
      scored.push({ bin, score: (histogram[offset + 2 * bin] as number) / (smoothed + TINY) });
    }
    return scored.sort((a, b) => a.score - b.score || a.bin - b.bin).map(({ bin }) => bin);
  }

  #prefixes(feature: number, offset: number, ranked: readonly number[]): void {
    const histogram = this.#histogram;
    const isMissingSeen = (histogram[offset + 1] as number) > 0;
    let [gradient, weight] = [0, 0];
    ranked.slice(0, -1).forEach((bin, i) => {
      gradient += histogram[offset + 2 * bin] as number;
      weight += histogram[offset + 2 * bin + 1] as number;
      const count = rowsIn(weight);
      const hessian = hessianOf(weight);
      const gain = this.#gainOf(gradient, hessian, count);
      if (gain <= this.#gain) return;
      const chosen = ranked.slice(0, i + 1);
      const missingLeft = isMissingSeen ? chosen.includes(0) : 2 * count > this.#total.count;
      const levels = chosen.filter(level => level !== 0).sort((a, b) => a - b);
      this.#keep({ feature, bin: 0, levels, missingLeft }, gain, gradient, hessian, count);
    });
  }

  /** The gain of a split; 0 if a side has too few rows. */
  #gainOf(gradient: number, hessian: number, count: number): number {
    const { gradient: totalGradient, hessian: totalHessian, count: totalCount } = this.#total;
    const { leafRows, l2 } = this.#settings;
    const others = totalHessian - hessian;
    if (count < leafRows || totalCount - count < leafRows || hessian < MIN_HESSIAN || others < MIN_HESSIAN)
      return 0;
    const rest = totalGradient - gradient;
    return (gradient * gradient) / (hessian + l2) + (rest * rest) / (others + l2) - this.#parent;
  }

  #keep(split: NodeSplit, gain: number, gradient: number, hessian: number, count: number): void {
    this.#split = split;
    this.#gain = gain;
    this.#left = { gradient, hessian, count };
  }
}
