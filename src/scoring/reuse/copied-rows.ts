import type { Predictions, PredictionType } from '../../base/contract/predictions.ts';
import type { Appended, WriteAppended } from '../../formats/appended.ts';
import { copyBytes, type WordView, wordView } from '../../formats/bytes/word-view.ts';

const NOT_KNOWN = -1;

/** What need not be asked for again of the rows of a batch: what was appended to them before, or an equal row's result. */
export class CopiedRows {
  readonly rows: number;
  /** Made for the first row that is known. */
  #starts = NO_OFFSETS;
  #ends = NO_OFFSETS;
  /** The numbers of the results that equal rows get. */
  #results: Float64Array | undefined;
  /** Rows whose prediction is asked for again, to compare it. */
  #checked: Set<number> | undefined;
  #bytes: Buffer = NO_BYTES;
  #length = 0;
  /** How many rows are known. */
  known = 0;
  /** How many are equal to rows that are sent. */
  equal = 0;

  /** @param rows of the batch that are well formed */
  constructor(rows: number) {
    this.rows = rows;
  }

  /** Memory in bytes. */
  get memory(): number {
    return this.#bytes.length + (this.#results === undefined ? 8 : 16) * this.rows;
  }

  /** Adds what was appended to a row: `from[start, end)`. */
  add(row: number, from: Uint8Array, start: number, end: number): void {
    const length = end - start;
    if (this.#length + length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(1 << 12, 2 * (this.#length + length)));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    if (this.known === 0) {
      this.#starts = new Int32Array(this.rows).fill(NOT_KNOWN);
      this.#ends = new Int32Array(this.rows);
    }
    const to = this.#length;
    for (let at = 0; at < length; at++) this.#bytes[to + at] = from[start + at] as number;
    this.#starts[row] = to;
    this.#length += length;
    this.#ends[row] = this.#length;
    this.known++;
  }

  has(row: number): boolean {
    return this.known > 0 && this.#starts[row] !== NOT_KNOWN;
  }

  /** Asks for the prediction of a row that is known, to compare it. */
  check(row: number): void {
    this.#checked ??= new Set();
    this.#checked.add(row);
  }

  /** The rows that are known and asked for all the same. */
  get checked(): ReadonlySet<number> {
    return this.#checked ?? NO_ROWS;
  }

  /** Takes for a row the result of an equal one. @param result its number: see `Results` */
  setEqual(row: number, result: number): void {
    this.#results ??= new Float64Array(this.rows).fill(NOT_KNOWN);
    this.#results[row] = result;
    this.equal++;
  }

  /** The number of the result that an equal row gets; -1 if it is not equal to one that is sent. */
  resultOf(row: number): number {
    return this.#results?.[row] ?? NOT_KNOWN;
  }

  /** Whether a row is sent to the service. */
  isSent(row: number): boolean {
    return this.has(row) ? this.checked.has(row) : this.resultOf(row) === NOT_KNOWN;
  }

  /** How many rows are sent. */
  get sent(): number {
    return this.rows - this.known - this.equal + this.checked.size;
  }

  /**
   * How many of the rows `[from, to)` are known, and how many are equal to one that was sent.
   *
   * @param errors of rows that are rejected, as the ones that they are equal to
   */
  count(from: number, to: number, errors: ReadonlyMap<number, unknown>): { reused?: number; equal?: number } {
    let [reused, equal] = [0, 0];
    for (let row = from; row < to; row++)
      if (this.has(row)) reused++;
      else if (this.resultOf(row) !== NOT_KNOWN && !errors.has(row)) equal++;
    return { ...(this.known > 0 && { reused }), ...(this.equal > 0 && { equal }) };
  }

  bytesOf(row: number): Buffer {
    return this.#bytes.subarray(this.#starts[row], this.#ends[row]);
  }

  /** Writes what is appended to a row: that of the rows which are known, and predictions for the others. */
  writer(others: WriteAppended, separator: Buffer): WriteAppended {
    const from = wordView(this.#bytes);
    const before = wordView(separator);
    return (row, into, to) => {
      const start = this.#starts[row] as number;
      if (start === NOT_KNOWN) return others(row, into, to);
      const at = copyBytes(before, 0, separator.length, into, to);
      return copyBytes(from, start, this.#ends[row] as number, into, at);
    };
  }
}

const NO_BYTES = Buffer.alloc(0);
const NO_OFFSETS = new Int32Array();
const NO_ROWS: ReadonlySet<number> = new Set();

/** What was appended before, and how it is written again. */
export interface CopiedColumns {
  /** What each prediction consists of. */
  readonly predictionType: PredictionType;
  /** What is before the copied bytes of a row: the delimiter of a CSV, unless nothing is before it. */
  readonly separator: Buffer;
  /** The probabilities of all classes in the copied bytes of a row, if they have all. */
  readonly probabilitiesOf?: ((copied: Buffer) => readonly number[]) | undefined;
  /** Whether what would be appended now says the same as the copied bytes. */
  isSame(copied: Buffer, now: Buffer): boolean;
}

/**
 * Columns whose values are copied for some rows of a batch. A kernel knows nothing of that, so TypeScript merges.
 *
 * @param copied the rows of the batch that is merged next
 */
export const withCopies = (
  { whole: _, ...appended }: Appended,
  { separator }: CopiedColumns,
  copied: () => CopiedRows | undefined,
): Appended => ({
  ...appended,
  writer(predictions) {
    const own = appended.writer(predictions);
    return copied()?.writer(own, separator) ?? own;
  },
});

/** Writes what is appended to one row, as it would be if the prediction were not copied. It is for a few rows. */
export function appendedTextOf(appended: Appended, predictions: Predictions, row: number): Buffer {
  const into: WordView = wordView(Buffer.alloc(appended.maxBytes + 16));
  return into.bytes.subarray(0, appended.writer(predictions)(row, into, 0));
}
