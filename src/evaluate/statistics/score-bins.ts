/** Rows by their score: for each different score, ascending, the sums of what was counted there. */
export interface ScoreGroups {
  scores: Float64Array;
  /** By column, a sum for each score. */
  sums: readonly Float64Array[];
}

/** Columns from which the mean score of a bin follows: the sum of scores, and the counts of the rows that are in it. */
interface MeanOf {
  sum: number;
  rows: readonly number[];
}

export interface ScoreSums {
  /** Selects the score that is at a place, for `add`. A number that is passed may become an object. */
  select(scores: Float64Array, at: number): void;
  /** Adds to a column of the selected score. */
  add(column: number, amount: number): void;
}

const EXPONENTS = 512;
const MANTISSA_BITS = 23;
/** Scores nearer to 0 than 2 ** -32 are 0. */
const SMALLEST = 2 ** -32;
const LARGEST = 3.4028234663852886e38;

const single = new Float32Array(1);
const singleBits = new Uint32Array(single.buffer);

/**
 * Sums by score, in bins of the leading bits of the score in single precision: sign, exponent, and the first `bits`
 * bits of the mantissa, so that a bin is 2 ** -bits as wide as its scores are large. Bins of an exponent are made when
 * it occurs. Adding bins to bins gives those of all rows, in any order.
 */
export class ScoreBins implements ScoreSums {
  /** Bins by sign and exponent; the sums of a bin are next to each other. */
  readonly #pages = new Array<Float64Array | undefined>(EXPONENTS);
  readonly columns: number;
  readonly bits: number;
  readonly #mean: MeanOf;
  #page: Float64Array = new Float64Array();
  #start = 0;

  constructor({ columns, bits, mean }: { columns: number; bits: number; mean: MeanOf }) {
    this.columns = columns;
    this.bits = bits;
    this.#mean = mean;
  }

  select(scores: Float64Array, at: number): void {
    const score = scores[at] as number;
    const magnitude = Math.abs(score);
    single[0] = magnitude < SMALLEST ? 0 : magnitude > LARGEST ? Math.sign(score) * LARGEST : score;
    const bits = singleBits[0] as number;
    const exponent = bits >>> MANTISSA_BITS;
    this.#page = this.#pages[exponent] ?? this.#newPage(exponent);
    this.#start = ((bits & 0x7fffff) >>> (MANTISSA_BITS - this.bits)) * this.columns;
  }

  add(column: number, amount: number): void {
    this.#page[this.#start + column] = (this.#page[this.#start + column] as number) + amount;
  }

  #newPage(exponent: number): Float64Array {
    const page = new Float64Array(this.columns * 2 ** this.bits);
    this.#pages[exponent] = page;
    return page;
  }

  merge(other: ScoreBins): void {
    other.#pages.forEach((page, exponent) => {
      if (page === undefined) return;
      const own = this.#pages[exponent] ?? this.#newPage(exponent);
      for (let i = 0; i < page.length; i++) own[i] = (own[i] as number) + (page[i] as number);
    });
  }

  /** The bins that have rows, each with the mean score of its rows, or its middle. */
  groups(): ScoreGroups {
    const half = EXPONENTS / 2;
    const negative = Array.from({ length: half }, (_, i) => EXPONENTS - 1 - i);
    const positive = Array.from({ length: half }, (_, i) => i);
    const most = this.#pages.filter(page => page !== undefined).length * 2 ** this.bits;
    const scores = new Float64Array(most);
    const sums = Array.from({ length: this.columns }, () => new Float64Array(most));
    let bins = 0;
    for (const exponent of [...negative, ...positive]) {
      const page = this.#pages[exponent];
      if (page === undefined) continue;
      const count = 2 ** this.bits;
      for (let i = 0; i < count; i++) {
        const bin = exponent < half ? i : count - 1 - i;
        const start = bin * this.columns;
        // Views of single bins would take longer than all else here.
        let column = 0;
        while (column < this.columns && page[start + column] === 0) column++;
        if (column === this.columns) continue;
        let rows = 0;
        for (const counted of this.#mean.rows) rows += page[start + counted] as number;
        scores[bins] =
          rows === 0 ? this.#middle(exponent, bin) : (page[start + this.#mean.sum] as number) / rows;
        for (column = 0; column < this.columns; column++)
          (sums[column] as Float64Array)[bins] = page[start + column] as number;
        bins++;
      }
    }
    return { scores: scores.subarray(0, bins), sums: sums.map(each => each.subarray(0, bins)) };
  }

  #middle(exponent: number, bin: number): number {
    const shift = MANTISSA_BITS - this.bits;
    singleBits[0] = ((exponent << MANTISSA_BITS) | (bin << shift)) >>> 0;
    const low = single[0] as number;
    if (low === 0) return 0;
    singleBits[0] = (singleBits[0] as number) + 2 ** (shift - 1);
    return single[0] as number;
  }
}

/** Sums by score, as they are: for few rows. */
export class ExactSums implements ScoreSums {
  readonly #sums = new Map<number, number[]>();
  readonly #columns: number;
  #selected: number[] = [];

  constructor(columns: number) {
    this.#columns = columns;
  }

  select(scores: Float64Array, at: number): void {
    const score = scores[at] as number;
    const known = this.#sums.get(score);
    this.#selected = known ?? new Array<number>(this.#columns).fill(0);
    if (known === undefined) this.#sums.set(score, this.#selected);
  }

  add(column: number, amount: number): void {
    this.#selected[column] = (this.#selected[column] as number) + amount;
  }

  groups(): ScoreGroups {
    const scores = Float64Array.from(this.#sums.keys()).sort();
    const sums = Array.from({ length: this.#columns }, (_, column) =>
      scores.map(score => this.#sums.get(score)?.[column] as number),
    );
    return { scores, sums };
  }
}
