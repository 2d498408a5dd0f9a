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

/** The first rows as they are: as long as there are no more, figures are exact. */
export class KeptRows {
  /** The numbers of the rows, one row after the other, and room for more. */
  data = new Float64Array(64);
  count = 0;
  readonly stride: number;
  readonly #most: number;

  /** @param stride numbers of a row */
  constructor(stride: number, size: TallySize) {
    this.stride = stride;
    this.#most = Math.min(MAX_ROWS, Math.floor(tallyLimits[size].numbers / stride));
  }

  /** Makes room for a row. @returns where its numbers begin in `data`; -1 if no more rows are kept */
  reserve(): number {
    if (this.count === this.#most) return -1;
    const start = this.count++ * this.stride;
    if (start + this.stride > this.data.length) {
      const larger = new Float64Array(Math.max(2 * this.data.length, start + this.stride));
      larger.set(this.data);
      this.data = larger;
    }
    return start;
  }

  /** Appends the rows of another one. @returns false if there are too many: then nothing is appended */
  append(other: KeptRows): boolean {
    const all = this.count + other.count;
    if (all > this.#most) return false;
    const data = new Float64Array(Math.max(this.data.length, all * this.stride));
    data.set(this.data.subarray(0, this.count * this.stride));
    data.set(other.data.subarray(0, other.count * this.stride), this.count * this.stride);
    this.data = data;
    this.count = all;
    return true;
  }
}
