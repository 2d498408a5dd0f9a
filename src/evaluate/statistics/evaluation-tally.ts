import { ExactSums, type ScoreBins, type ScoreGroups, type ScoreSums } from './score-bins.ts';

/** A scored row. It may be the same object for all rows, because a tally keeps nothing of it but numbers. */
export interface EvaluatedRow {
  /** The probabilities in the order of the classes, or one number. */
  readonly values: Float64Array;
  /** The index of the predicted class; -1 if the file does not say it, or for a number. */
  readonly label: number;
}

/** Counts of scored rows in memory that does not grow with them, but for the first rows, which are kept. */
export interface EvaluationTally {
  /** Adds a scored row without a label. */
  addUnlabelled(row: EvaluatedRow): void;
  /**
   * Adds a scored row with its label.
   *
   * @param actual the index of the class, or the number that came true
   */
  addLabelled(row: EvaluatedRow, actual: number): void;
}

/** How large a tally may become: that of all rows, or one of many segments. */
export type TallySize = 'whole' | 'segment';

/** How many numbers of rows a tally keeps, and how fine its bins are at most. */
export const tallyLimits: Readonly<Record<TallySize, { numbers: number; bits: number }>> = {
  whole: { numbers: 2 ** 20, bits: 13 },
  segment: { numbers: 2 ** 14, bits: 9 },
};

/** More rows are not kept, but counted in bins. */
const MAX_ROWS = 65_536;

/** How the numbers of a row are counted. */
interface Counting {
  /** Numbers of a row. */
  stride: number;
  /** How many of them are scores, and the bins of one. */
  scores: number;
  makeBins(i: number): ScoreBins;
  /** Adds the row whose numbers begin at `start` to the sums of one of its scores. */
  count(sums: ScoreSums, i: number, data: Float64Array, start: number): void;
}

/** The numbers of rows: of the first ones as they are, so that figures are exact; of more rows in bins. */
export class TalliedRows {
  /** The numbers of the row that `add` adds. */
  readonly row: Float64Array;
  #data = new Float64Array(64);
  #rows = 0;
  #bins: readonly ScoreBins[] | undefined;
  readonly #most: number;
  readonly #counting: Counting;

  constructor(counting: Counting, size: TallySize) {
    this.row = new Float64Array(counting.stride);
    this.#most = Math.min(MAX_ROWS, Math.floor(tallyLimits[size].numbers / counting.stride));
    this.#counting = counting;
  }

  add(): void {
    if (this.#bins === undefined && this.#rows < this.#most) {
      const { length } = this.row;
      const start = this.#rows++ * length;
      if (start + length > this.#data.length) this.#data = enlarged(this.#data, length);
      for (let i = 0; i < length; i++) this.#data[start + i] = this.row[i] as number;
      return;
    }
    this.#bins ??= this.#binned();
    for (let i = 0; i < this.#bins.length; i++)
      this.#counting.count(this.#bins[i] as ScoreBins, i, this.row, 0);
  }

  #binned(): ScoreBins[] {
    return Array.from({ length: this.#counting.scores }, (_, i) =>
      this.#countKept(this.#counting.makeBins(i), i),
    );
  }

  #countKept<S extends ScoreSums>(sums: S, i: number): S {
    const { length } = this.row;
    for (let start = 0; start < this.#rows * length; start += length)
      this.#counting.count(sums, i, this.#data, start);
    return sums;
  }

  merge(other: TalliedRows): void {
    if (other.#bins !== undefined) {
      this.#bins ??= this.#binned();
      for (const [i, bins] of this.#bins.entries()) bins.merge(other.#bins[i] as ScoreBins);
      return;
    }
    const { length } = this.row;
    for (let start = 0; start < other.#rows * length; start += length) {
      this.row.set(other.#data.subarray(start, start + length));
      this.add();
    }
  }

  /** Rows by one of their scores, ascending. */
  groups(i: number): ScoreGroups {
    if (this.#bins !== undefined) return (this.#bins[i] as ScoreBins).groups();
    return this.#countKept(new ExactSums(this.#counting.makeBins(i).columns), i).groups();
  }
}

function enlarged(data: Float64Array, more: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(2 * data.length + more);
  larger.set(data);
  return larger;
}
