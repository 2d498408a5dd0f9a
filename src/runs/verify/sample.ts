import type { Comparison } from '../../formats/comparison.ts';
import type { RecordCursor } from './record-cursor.ts';

/** A scored row of OUTPUT that is to be predicted again. */
export interface SampledRow {
  row: number;
  /** Line of INPUT. */
  inputLine: number;
  /** Line of OUTPUT. */
  line: number;
  /** The row of INPUT, without its line ending. */
  record: Buffer;
  /** The appended fields as latin1, without the delimiter before them. */
  appended: string;
}

/** A fixed seed: the same input and size give the same rows each time. */
const SEED = 0x9e3779b9;

/** Chooses rows at random, each with the same probability, however many there are (Vitter's algorithm R). */
export class Sample {
  readonly #size: number;
  readonly #comparison: Comparison;
  readonly #random = randomNumbers(SEED);
  readonly #rows: SampledRow[] = [];
  #offered = 0;

  constructor(size: number, comparison: Comparison) {
    this.#size = size;
    this.#comparison = comparison;
  }

  /** The chosen rows, in their order. */
  get rows(): readonly SampledRow[] {
    return this.#rows.toSorted((a, b) => a.row - b.row);
  }

  /** @param input at a row that was scored, and `output` at its record */
  offer(input: RecordCursor, output: RecordCursor): void {
    const slot =
      this.#offered < this.#size ? this.#offered : Math.floor(this.#random() * (this.#offered + 1));
    this.#offered++;
    if (slot >= this.#size) return;
    const { ownNames } = this.#comparison;
    const appended = this.#comparison.appendedOf(this.#comparison.own(input), output);
    if (appended === undefined) return;
    const { bytes, start, contentEnd } = appended;
    this.#rows[slot] = {
      row: input.row,
      inputLine: input.line,
      line: output.line,
      record: Buffer.from(input.bytes.subarray(input.start, input.contentEnd)),
      appended: bytes.toString('latin1', ownNames.length > 0 ? start + 1 : start, contentEnd),
    };
  }
}

/** Random numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
