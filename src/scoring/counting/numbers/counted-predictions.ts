import { type Labels, type Numbers, numbersPerRow } from '../../../base/contract/predictions.ts';

/**
 * A histogram of numbers in bins of fixed limits, the same for every run: 64 bins of equal width between two powers of
 * two, from 2^-256 to 2^256, the same below 0, and one around 0. A bin is thus at most 1/64 as wide as its distance from
 * 0. It is chosen by the top bits of a double, as in HdrHistogram (https://hdrhistogram.org); numbers beyond 2^256 are
 * in the outermost bins. Neither the order of rows nor how they are divided into batches matters.
 */
const SUB_BITS = 6;
const SUB_BINS = 1 << SUB_BITS;
const SHIFT = 20 - SUB_BITS;
const LEAST_EXPONENT = -256;
/** The top bits of 2^-256. */
const FIRST = (1023 + LEAST_EXPONENT) << SUB_BITS;
/** The bin around 0, and the number of bins on each side of it. */
export const ZERO_BIN = 0x7fff;
export const NUMBER_BINS = 2 * ZERO_BIN + 1;
/** Stands for a row without a prediction. */
const NO_NUMBER = 0xffff;

const double = new Float64Array(1);
const words = new Int32Array(double.buffer);
double[0] = 1;
/** Where the word with the exponent is. */
const HIGH = words[0] === 0 ? 1 : 0;

/** The bin of a finite number; bins are in the order of the numbers. */
export function numberBin(value: number): number {
  double[0] = value;
  const high = words[HIGH] as number;
  const size = Math.min(ZERO_BIN, Math.max(0, ((high & 0x7fffffff) >> SHIFT) - FIRST + 1));
  return high < 0 ? ZERO_BIN - size : ZERO_BIN + size;
}

/** The lower limit of a bin. That of the bin around 0 is 0: no smaller numbers are expected there. */
export function numberLimit(bin: number): number {
  if (bin > ZERO_BIN) return sizeOfBin(bin - ZERO_BIN);
  return bin === ZERO_BIN ? 0 : -sizeOfBin(ZERO_BIN - bin + 1);
}

const sizeOfBin = (size: number): number =>
  2 ** (((size - 1) >> SUB_BITS) + LEAST_EXPONENT) * (1 + ((size - 1) % SUB_BINS) / SUB_BINS);

/** What was counted in predictions that are no probabilities, as plain data that goes from thread to thread. */
export type PredictionCounts =
  /** By row and number, the bin of the number; by number, their sum, times `SCALE`. */
  | { kind: 'numbers'; bins: Uint16Array; sums: Float64Array }
  | { kind: 'label'; labels: readonly string[]; rows: Uint32Array };

/** With which sums are scaled, so that those of very large numbers are finite: a power of two costs no digit. */
const SCALE = 2 ** -64;

/** More numbers per row are not counted. */
const MAX_NUMBERS = 100;

/** Counts the predictions of the rows `[from, to)`. */
export function countsOfPredictions(
  predictions: Numbers | Labels,
  from: number,
  to: number,
): PredictionCounts {
  return predictions.kind === 'label'
    ? countsOfLabels(predictions, from, to)
    : countsOfNumbers(predictions, from, to);
}

function countsOfNumbers({ names, values, errors }: Numbers, from: number, to: number): PredictionCounts {
  const perRow = numbersPerRow(names);
  const counted = Math.min(perRow, MAX_NUMBERS);
  const bins = new Uint16Array((to - from) * counted);
  const sums = new Float64Array(counted);
  for (let row = from, at = 0; row < to; row++) {
    const isScored = errors.size === 0 || !errors.has(row);
    for (let i = 0; i < counted; i++, at++) {
      const value = values[row * perRow + i] as number;
      bins[at] = isScored ? numberBin(value) : NO_NUMBER;
      if (isScored) sums[i] = (sums[i] as number) + value * SCALE;
    }
  }
  return { kind: 'numbers', bins, sums };
}

function countsOfLabels({ labels, indices }: Labels, from: number, to: number): PredictionCounts {
  const rows = new Uint32Array(labels.length);
  for (let row = from; row < to; row++) {
    const index = indices[row] as number;
    if (index >= 0) rows[index] = (rows[index] as number) + 1;
  }
  return { kind: 'label', labels, rows };
}

/** The numbers that a run has counted; a checkpoint stores pairs of a bin and its rows, by number. */
export interface StoredNumbers {
  sums: number[];
  bins: number[][];
}

/** The bins that a run and its copies have come across, each with its place in the counts; few of all are. */
interface UsedBins {
  /** By bin, its place plus one. */
  places: Uint16Array;
  /** By place. */
  bins: number[];
}

/** Counts numbers. A copy has as many counts as there are bins that were used, because there is one for each part. */
export class PredictedNumbers {
  /** By number, times `SCALE`. */
  readonly #sums: Float64Array;
  /** By place of a bin and number. */
  #counts: Float64Array;
  readonly #used: UsedBins;

  constructor(
    sums: Float64Array,
    counts = new Float64Array(),
    used: UsedBins = { places: new Uint16Array(NUMBER_BINS), bins: [] },
  ) {
    this.#sums = sums;
    this.#counts = counts;
    this.#used = used;
  }

  static from({ sums, bins }: StoredNumbers): PredictedNumbers {
    const tally = new PredictedNumbers(Float64Array.from(sums));
    for (const [number, pairs] of bins.entries())
      for (let i = 0; i < pairs.length; i += 2) tally.#count(number, pairs[i] ?? 0, pairs[i + 1] ?? 0);
    return tally;
  }

  get perRow(): number {
    return this.#sums.length;
  }

  add({ bins, sums }: Extract<PredictionCounts, { kind: 'numbers' }>): void {
    this.#addSums(sums);
    const numbers = sums.length;
    for (let at = 0; at < bins.length; )
      for (let number = 0; number < numbers; number++, at++) {
        const bin = bins[at] as number;
        if (bin !== NO_NUMBER) this.#count(number, bin, 1);
      }
  }

  addRun(other: PredictedNumbers): void {
    this.#addSums(other.#sums);
    for (const [number, bin, rows] of other.#counted()) this.#count(number, bin, rows);
  }

  #addSums(more: Float64Array): void {
    const sums = this.#sums;
    for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] as number) + (more[i] ?? 0);
  }

  #count(number: number, bin: number, rows: number): void {
    const { places, bins } = this.#used;
    let place = (places[bin] as number) - 1;
    if (place < 0) {
      place = bins.push(bin) - 1;
      places[bin] = place + 1;
    }
    const at = place * this.perRow + number;
    if (at >= this.#counts.length) this.#grow();
    this.#counts[at] = (this.#counts[at] as number) + rows;
  }

  #grow(): void {
    const counts = new Float64Array(2 * this.#used.bins.length * this.perRow);
    counts.set(this.#counts);
    this.#counts = counts;
  }

  *#counted(): Generator<[number: number, bin: number, rows: number]> {
    for (const [place, bin] of this.#used.bins.entries())
      for (let number = 0; number < this.perRow; number++) {
        const rows = this.#counts[place * this.perRow + number] ?? 0;
        if (rows > 0) yield [number, bin, rows];
      }
  }

  /** The rows of each bin of a number. */
  countsOf(number: number): Float64Array {
    const counts = new Float64Array(NUMBER_BINS);
    for (const [own, bin, rows] of this.#counted()) if (own === number) counts[bin] = rows;
    return counts;
  }

  /** @param rows of the number */
  meanOf(number: number, rows: number): number {
    return (this.#sums[number] as number) / rows / SCALE;
  }

  copy(): PredictedNumbers {
    return new PredictedNumbers(this.#sums.slice(), this.#counts.slice(), this.#used);
  }

  toJSON(): StoredNumbers {
    const bins: number[][] = Array.from(this.#sums, () => []);
    for (const [number, bin, rows] of this.#counted()) bins[number]?.push(bin, rows);
    return { sums: [...this.#sums], bins };
  }
}

/** Labels of a run that are counted each: the first of those that are no longer texts; all others are counted together. */
const MAX_LABELS = 1000;
const MAX_LABEL_CHARACTERS = 200;

/** The labels that a run has counted. */
export interface StoredLabels {
  names: string[];
  rows: number[];
  others: number;
}

/** Counts labels. */
export class PredictedLabels {
  readonly #rows: Map<string, number>;
  #others: number;

  constructor({ names, rows, others }: StoredLabels = { names: [], rows: [], others: 0 }) {
    this.#rows = new Map(names.map((name, i) => [name, rows[i] ?? 0]));
    this.#others = others;
  }

  add({ labels, rows }: Extract<PredictionCounts, { kind: 'label' }>): void {
    for (const [i, label] of labels.entries()) this.#count(label, rows[i] ?? 0);
  }

  addRun(other: PredictedLabels): void {
    for (const [label, rows] of other.#rows) this.#count(label, rows);
    this.#others += other.#others;
  }

  #count(label: string, rows: number): void {
    if (rows === 0) return;
    const before = this.#rows.get(label);
    const isFull = this.#rows.size >= MAX_LABELS || label.length > MAX_LABEL_CHARACTERS;
    if (before === undefined && isFull) this.#others += rows;
    else this.#rows.set(label, (before ?? 0) + rows);
  }

  copy(): PredictedLabels {
    return new PredictedLabels(this.toJSON());
  }

  toJSON(): StoredLabels {
    return { names: [...this.#rows.keys()], rows: [...this.#rows.values()], others: this.#others };
  }
}
