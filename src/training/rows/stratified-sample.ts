import { seededRandom } from '../seeded-random.ts';

/**
 * The minimum number of rows kept per stratum while the total is unknown: with this many, a quota that was estimated
 * early is never too small in the end.
 */
const MIN_KEPT = 1000;

interface Drawn<T> {
  /** Random; a stratum's sample is its rows with the lowest ranks. */
  rank: number;
  /** The row's index among all rows. */
  index: number;
  row: T;
}

interface Stratum<T> {
  seen: number;
  /** Rows with a higher rank can no longer be in the sample. */
  cutoff: number;
  drawn: Drawn<T>[];
}

/**
 * A stratified sample of a stream of rows: all rows up to `most`; of more rows, each stratum in proportion, but at
 * least one row of each. Memory does not grow with the number of rows. The same rows and seed give the same sample.
 */
export class StratifiedSample<T> {
  readonly #most: number;
  readonly #random: () => number;
  readonly #strata = new Map<string, Stratum<T>>();
  #seen = 0;
  #held = 0;

  constructor(most: number, seed: number) {
    this.#most = most;
    this.#random = seededRandom(seed);
  }

  get seen(): number {
    return this.#seen;
  }

  get strata(): number {
    return this.#strata.size;
  }

  /** The number of rows seen per stratum. */
  counts(): Map<string, number> {
    return new Map([...this.#strata].map(([name, { seen }]) => [name, seen]));
  }

  /** @param make creates the row; called only if it may be kept */
  add(name: string, make: () => T): void {
    const stratum = this.#stratum(name);
    const index = this.#seen++;
    stratum.seen++;
    const rank = this.#random();
    if (rank > stratum.cutoff) return;
    stratum.drawn.push({ rank, index, row: make() });
    this.#held++;
    if (this.#held > 3 * this.#most + MIN_KEPT * this.#strata.size) this.#prune();
  }

  /**
   * Joins strata. Of those that were cut, rows are dropped that a joint sample would not have.
   *
   * @param nameOf the new name of a stratum
   */
  regroup(nameOf: (name: string) => string): void {
    const old = [...this.#strata];
    this.#strata.clear();
    for (const [name, { seen, cutoff, drawn }] of old) {
      const stratum = this.#stratum(nameOf(name));
      stratum.seen += seen;
      stratum.cutoff = Math.min(stratum.cutoff, cutoff);
      stratum.drawn.push(...drawn);
    }
    for (const stratum of this.#strata.values())
      stratum.drawn = stratum.drawn.filter(({ rank }) => rank <= stratum.cutoff);
    this.#prune();
  }

  /**
   * The sample, in the order of the rows, in parts.
   *
   * @param starts the index of the first row of each part among all rows, in ascending order; the first one is 0
   */
  parts(starts: readonly number[]): T[][] {
    const parts: T[][] = starts.map(() => []);
    const drawn = [...this.#strata.values()].flatMap(stratum =>
      this.#seen <= this.#most ? stratum.drawn : lowest(stratum.drawn, this.#quota(stratum)),
    );
    let part = 0;
    for (const { index, row } of drawn.sort((a, b) => a.index - b.index)) {
      while (index >= (starts[part + 1] ?? Number.POSITIVE_INFINITY)) part++;
      parts[part]?.push(row);
    }
    return parts;
  }

  #stratum(name: string): Stratum<T> {
    const known = this.#strata.get(name);
    if (known !== undefined) return known;
    const stratum: Stratum<T> = { seen: 0, cutoff: 1, drawn: [] };
    this.#strata.set(name, stratum);
    return stratum;
  }

  #quota({ seen }: Stratum<T>): number {
    return Math.max(1, Math.round((this.#most * seen) / this.#seen));
  }

  /** Drops rows that can no longer be in the sample, with a margin for unevenly distributed ranks of later rows. */
  #prune(): void {
    this.#held = 0;
    for (const stratum of this.#strata.values()) {
      const kept = Math.max(MIN_KEPT, 2 * this.#quota(stratum));
      if (stratum.drawn.length > kept) {
        stratum.drawn = lowest(stratum.drawn, kept);
        stratum.cutoff = stratum.drawn.at(-1)?.rank ?? 1;
      }
      this.#held += stratum.drawn.length;
    }
  }
}

function lowest<T>(drawn: readonly Drawn<T>[], count: number): Drawn<T>[] {
  return drawn.toSorted((a, b) => a.rank - b.rank || a.index - b.index).slice(0, count);
}
