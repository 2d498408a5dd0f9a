import type { RecordKind } from '../../../formats/records/batch.ts';
import { seededRandom } from '../../../training/seeded-random.ts';

/** A record of a sample. */
export interface SampledRecord {
  /** One byte per character: strings of a quarter of the memory of buffers. */
  latin1: string;
  kind: RecordKind;
}

interface Drawn extends SampledRecord {
  /** Random; the sample is the records with the lowest ranks. */
  rank: number;
}

const MAX_ROWS = 10_000;
const MAX_BYTES = 64 << 20;

/** A random sample of a stream of records, limited in records and bytes; all of them, if they are few. */
export class RecordSample {
  readonly #maxRows: number;
  readonly #maxBytes: number;
  readonly #random = seededRandom(1);
  #drawn: Drawn[] = [];
  #bytes = 0;
  /** Records with a higher rank can no longer be in the sample. */
  #cutoff = 1;

  constructor(limits: { maxRows?: number; maxBytes?: number } = {}) {
    this.#maxRows = limits.maxRows ?? MAX_ROWS;
    this.#maxBytes = limits.maxBytes ?? MAX_BYTES;
  }

  /** @param make creates the record; called only if it may be kept */
  add(size: number, make: () => SampledRecord): void {
    const rank = this.#random();
    if (rank > this.#cutoff) return;
    this.#drawn.push({ rank, ...make() });
    this.#bytes += size;
    // Each time, half of the records go, so that sorting them is rare.
    if (this.#drawn.length >= 2 * this.#maxRows) this.#keep(this.#maxRows);
    while (this.#bytes > this.#maxBytes && this.#drawn.length > 1) this.#keep(this.#drawn.length >> 1);
  }

  /** The sample, in the order of the records. */
  records(): readonly SampledRecord[] {
    if (this.#drawn.length > this.#maxRows) this.#keep(this.#maxRows);
    return this.#drawn;
  }

  #keep(count: number): void {
    this.#cutoff = Float64Array.from(this.#drawn, ({ rank }) => rank).sort()[count - 1] ?? 1;
    this.#drawn = this.#drawn.filter(({ rank }) => rank <= this.#cutoff);
    this.#bytes = this.#drawn.reduce((sum, { latin1 }) => sum + latin1.length, 0);
  }
}
