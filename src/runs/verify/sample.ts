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

/** The rows that are predicted again. */
export interface Sample {
  /** The chosen rows, in their order. */
  readonly rows: readonly SampledRow[];
  /** @param input at a row that was scored, and `output` at its record */
  offer(input: RecordCursor, output: RecordCursor): void;
}

/** Chooses rows at random, each with the same probability, however many there are (Vitter's algorithm R). */
export function sampleOf(size: number, { ownNames, own, appendedOf }: Comparison): Sample {
  const random = randomNumbers(SEED);
  const rows: SampledRow[] = [];
  let offered = 0;
  return {
    get rows() {
      return rows.toSorted((a, b) => a.row - b.row);
    },
    offer(input, output) {
      const slot = offered < size ? offered : Math.floor(random() * (offered + 1));
      offered++;
      const appended = slot < size ? appendedOf(own(input), output) : undefined;
      if (appended === undefined) return;
      const { bytes, start, contentEnd } = appended;
      rows[slot] = {
        row: input.row,
        inputLine: input.line,
        line: output.line,
        record: Buffer.from(input.bytes.subarray(input.start, input.contentEnd)),
        appended: bytes.toString('latin1', ownNames.length > 0 ? start + 1 : start, contentEnd),
      };
    },
  };
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
