import { seededRandom } from './seeded-random.ts';

/**
 * Rows of a stratum that are kept at least while it is not known how many there will be: with so many, a share
 * that was reckoned early is never short of what it comes to in the end.
 */
const MIN_KEPT = 1000;

interface Drawn<T> {
  /** At random; a stratum's sample is the rows whose ranks are lowest. */
  rank: number;
  /** The row's number among all. */
  index: number;
  row: T;
}

interface Stratum<T> {
  seen: number;
  /** A row that ranks above it is in no sample any more. */
  cutoff: number;
  drawn: Drawn<T>[];
}

/**
 * A sample of rows that are seen once: all of them up to `most`, and of more as many of each stratum as its share
 * of the rows comes to, but at least one. What is held does not grow with the rows. The same rows and seed give
 * the same sample.
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

  /** How many rows were seen. */
  get seen(): number {
    return this.#seen;
  }

  /** How many strata were seen. */
  get strata(): number {
    return this.#strata.size;
  }

  /** The strata that were seen, and how many rows of each. */
  counts(): Map<string, number> {
    return new Map([...this.#strata].map(([name, { seen }]) => [name, seen]));
  }

  /** @param make gives the row, and is asked only where it may be kept */
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

  /** The sample, in the rows' order. */
  rows(): T[] {
    const drawn = [...this.#strata.values()].flatMap(stratum =>
      this.#seen <= this.#most ? stratum.drawn : lowest(stratum.drawn, this.#quota(stratum)),
    );
    return drawn.sort((a, b) => a.index - b.index).map(({ row }) => row);
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

  /** Drops what no sample can have any more, with a margin for how unevenly the ranks of later rows may fall. */
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
