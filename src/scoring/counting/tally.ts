import type { Distributions, Predictions } from '../../base/contract/predictions.ts';
import type { Unrecognized } from '../../formats/columns/column-encoder.ts';
import type { CountedColumn, Counting } from './counted-column.ts';
import { countsOfPredictions, type PredictionCounts } from './numbers/counted-predictions.ts';

/** What was counted in some rows, as plain data that goes from thread to thread. */
export interface Tally {
  /** By column: missing, mismatched, unseen and trimmed values, then the rows of each of its bins. */
  counts: Uint32Array;
  /** By column, the sum of its numbers. */
  sums: Float64Array;
  /** By row and class, the bin of its probability; see `scoreBin`. */
  scoreBins: Uint16Array;
  /** By class, the sum of its probabilities. */
  scoreSums: Float64Array;
  /** Of predictions that are no probabilities. */
  predicted?: PredictionCounts;
}

const kinds: readonly Unrecognized[] = ['missing', 'mismatched', 'unseen', 'trimmed'];

/** Where the counts of each column are in a tally. */
export class TallyLayout {
  readonly columns: readonly CountedColumn[];
  /** By column, where the counts of its unrecognized values begin; those of its bins follow. */
  readonly #starts: Int32Array;
  readonly size: number;
  readonly #edges: readonly Float64Array[];

  readonly isDetailed: boolean;

  constructor({ columns, isDetailed }: Counting) {
    this.columns = columns;
    this.isDetailed = isDetailed;
    this.#edges = columns.map(({ edges }) => Float64Array.from(edges));
    this.#starts = new Int32Array(columns.length + 1);
    let size = 0;
    for (const [i, column] of columns.entries()) {
      size += kinds.length + (isDetailed ? binsOf(column) : 0);
      this.#starts[i + 1] = size;
    }
    this.size = size;
  }

  unrecognizedAt(column: number): number {
    return this.#starts[column] as number;
  }

  binsAt(column: number): number {
    return this.unrecognizedAt(column) + kinds.length;
  }

  binsEnd(column: number): number {
    return this.unrecognizedAt(column + 1);
  }

  newTally(): Tally {
    return {
      counts: new Uint32Array(this.size),
      sums: new Float64Array(this.isDetailed ? this.columns.length : 0),
      scoreBins: NO_BINS,
      scoreSums: NO_SUMS,
    };
  }

  /** Adds fields that a reader has come across, which forgets them. */
  addUnrecognized({ counts }: Tally, column: number, found: Record<Unrecognized, number>): void {
    const at = this.unrecognizedAt(column);
    for (const [i, name] of kinds.entries()) {
      counts[at + i] = (counts[at + i] as number) + found[name];
      found[name] = 0;
    }
  }

  /** Takes back rows without any value, which were counted as missing in every column. */
  leaveOut({ counts }: Tally, rows: number): void {
    for (const column of this.columns.keys()) {
      const missing = this.unrecognizedAt(column);
      counts[missing] = (counts[missing] as number) - rows;
    }
  }

  /** Counts the numbers that a model takes, of the rows `[from, to)`: that of row i is `values[at + i * step]`. */
  addValues(
    tally: Tally,
    column: number,
    values: Float64Array,
    { at, step, from, to }: { at: number; step: number; from: number; to: number },
  ): void {
    const { learned, levels } = this.columns[column] as CountedColumn;
    const [first, end] = [at + from * step, at + to * step];
    const bins = this.binsAt(column);
    if (learned?.type === 'date') return;
    if (learned?.type === 'categorical')
      countLevels(tally.counts, bins, bins + levels.length, learned.levels.length, values, first, end, step);
    else {
      const edges = this.#edges[column] as Float64Array;
      const sum = countNumbers(tally.counts, bins, edges, values, first, end, step);
      tally.sums[column] = (tally.sums[column] as number) + sum;
    }
  }
}

/** Each with its own loop, whose types do not vary: together they took twice the time. */
function countLevels(
  counts: Uint32Array,
  bins: number,
  others: number,
  known: number,
  values: Float64Array,
  first: number,
  end: number,
  step: number,
): void {
  for (let at = first; at < end; at += step) {
    const value = values[at] as number;
    // NaN and the value that stands for unknown categories are not counted here.
    if (!(value <= known)) continue;
    const bin = Math.min(bins + (value | 0) - 1, others);
    counts[bin] = (counts[bin] as number) + 1;
  }
}

/** @returns their sum */
function countNumbers(
  counts: Uint32Array,
  bins: number,
  edges: Float64Array,
  values: Float64Array,
  first: number,
  end: number,
  step: number,
): number {
  const { length } = edges;
  const middle = length >> 1;
  const pivot = length === 0 ? Number.POSITIVE_INFINITY : (edges[middle] as number);
  let sum = 0;
  for (let at = first; at < end; at += step) {
    const value = values[at] as number;
    if (Number.isNaN(value)) continue;
    sum += value;
    let bin = value < pivot ? 0 : middle;
    while (bin < length && value >= (edges[bin] as number)) bin++;
    counts[bins + bin] = (counts[bins + bin] as number) + 1;
  }
  return sum;
}

/** The bins of a column: ranges of numbers, or categories, the last of which stands for all others. */
function binsOf({ learned, edges, levels }: CountedColumn): number {
  if (learned?.type === 'date') return 0;
  return learned?.type === 'categorical' ? levels.length + 1 : edges.length + 1;
}

/** Counts the predictions of the rows `[from, to)`. */
export function addPredictions(tally: Tally, predictions: Predictions, from: number, to: number): void {
  if (from === to) return;
  if (predictions.kind === 'distribution') addProbabilities(tally, predictions, from, to);
  else tally.predicted = countsOfPredictions(predictions, from, to);
}

function addProbabilities(
  tally: Tally,
  { probabilities, classes: { length: classes }, errors }: Distributions,
  from: number,
  to: number,
): void {
  if (classes === 0) return;
  const scoreBins = new Uint16Array((to - from) * classes);
  const scoreSums = new Float64Array(classes);
  for (let row = from, at = 0; row < to; row++) {
    const isKnown = !Number.isNaN(probabilities[row * classes]);
    const isScored = isKnown && (errors.size === 0 || !errors.has(row));
    for (let i = 0; i < classes; i++, at++) {
      const probability = probabilities[row * classes + i] as number;
      scoreBins[at] = isScored ? scoreBin(probability) : NO_SCORE;
      if (isScored) scoreSums[i] = (scoreSums[i] as number) + probability;
    }
  }
  tally.scoreBins = scoreBins;
  tally.scoreSums = scoreSums;
}

const NO_BINS = new Uint16Array();
const NO_SUMS = new Float64Array();

/**
 * A histogram of probabilities in bins of fixed limits, as in HdrHistogram (https://hdrhistogram.org): 32 bins of equal
 * width between two powers of two, from 2^-16 to 1/2, and the same mirrored from 1/2 to 1. A bin is at most 1/32 as
 * wide as its distance from 0 or from 1, whichever is nearer, or 2^-16 at the ends. Neither the order of rows nor how
 * they are divided into batches matters, which is not so for sketches that merge bins as they go.
 */
const SUB_BITS = 5;
const SUB_BINS = 1 << SUB_BITS;
const SHIFT = 23 - SUB_BITS;
/** The exponents of 2^-16 and of 1/2 as a float32 has them. */
const [LEAST, MOST] = [127 - 16, 127 - 1];
const FIRST = LEAST << SUB_BITS;
/** One below 2^-16, those between, and one for 1/2 itself. */
const HALF = (MOST - LEAST) * SUB_BINS + 2;

export const SCORE_BINS = 2 * HALF;
/** Stands for a row without a probability. */
export const NO_SCORE = 0xffff;

const float = new Float32Array(1);
const bits = new Int32Array(float.buffer);

/** The bin of a probability. */
export function scoreBin(probability: number): number {
  const isHigh = probability > 0.5;
  float[0] = isHigh ? 1 - probability : probability;
  const bin = Math.max(0, ((bits[0] as number) >> SHIFT) - FIRST + 1);
  return isHigh ? SCORE_BINS - 1 - bin : bin;
}

/** The lower limit of a bin; that of the bin after the last one is 1. */
export function lowerLimit(bin: number): number {
  if (bin === 0) return 0;
  if (bin >= SCORE_BINS) return 1;
  if (bin < HALF) return lowLimit(bin);
  return 1 - lowLimit(SCORE_BINS - bin);
}

function lowLimit(bin: number): number {
  const above = bin - 1;
  // Both bins next to 1/2 end there.
  return Math.min(0.5, 2 ** ((above >> SUB_BITS) - 16) * (1 + (above % SUB_BINS) / SUB_BINS));
}

/**
 * A quantile of what was counted, as if it were spread evenly over its bins.
 *
 * @param counts of the bins, with at least one row
 * @param limitOf the lower limit of a bin; by default, of one of probabilities
 */
export function binQuantile(counts: Float64Array, share: number, limitOf = lowerLimit): number {
  const total = counts.reduce((sum, rows) => sum + rows, 0);
  const wanted = share * total;
  let below = 0;
  for (const [bin, rows] of counts.entries()) {
    if (rows > 0 && below + rows >= wanted) {
      const [low, high] = [limitOf(bin), limitOf(bin + 1)];
      return low + ((high - low) * Math.max(0, wanted - below)) / rows;
    }
    below += rows;
  }
  return limitOf(counts.length);
}
