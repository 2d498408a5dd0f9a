import type { Layout } from '../../formats/format.ts';
import { type Batch, startOf } from '../../formats/records/batch.ts';
import type { Position } from '../../formats/records/position.ts';

/** A record of a batch of the input. */
interface RecordOf {
  readonly batch: Batch;
  readonly index: number;
}

/** The most rows of a request, and the bytes of its body, with those of a row besides its record. */
interface BodyLimits {
  rows: number;
  bytes: number;
  rowOverhead: number;
}

/**
 * Packs records of several batches, in input order, into batches of their own, which are sent. Those batches of the
 * input must stay in memory until the results of theirs are there: where each record is, is found there.
 */
export class PackedRows {
  readonly #layout: Pick<Layout, 'slice' | 'positionOf'>;
  /** Of each packed batch, and of slices of one, its records. */
  readonly #records = new WeakMap<Batch, readonly RecordOf[]>();
  #open: { records: RecordOf[]; kinds: number[]; ends: number[]; pieces: Buffer[]; size: number } = opened();

  constructor(layout: Pick<Layout, 'slice' | 'positionOf'>) {
    this.#layout = layout;
  }

  /** The number of records that wait. */
  get waiting(): number {
    return this.#open.records.length;
  }

  /** Whether another record would make the body too large. */
  isFullFor(batch: Batch, index: number, { rows, bytes, rowOverhead }: BodyLimits): boolean {
    const { records, size } = this.#open;
    if (records.length === 0) return false;
    const length = (batch.ends[index] as number) - startOf(batch, index);
    return records.length >= rows || size + length + (records.length + 1) * rowOverhead > bytes;
  }

  add(batch: Batch, index: number): void {
    const { records, kinds, ends, pieces, size } = this.#open;
    const start = startOf(batch, index);
    const end = batch.ends[index] as number;
    pieces.push(batch.bytes.subarray(start, end));
    records.push({ batch, index });
    kinds.push(batch.kinds[index] as number);
    this.#open.size = size + end - start;
    ends.push(this.#open.size);
  }

  /** Takes the records that wait, of which there must be one. */
  take(): Batch {
    const { records, kinds, ends, pieces } = this.#open;
    this.#open = opened();
    const batch: Batch = {
      bytes: Buffer.concat(pieces),
      ends: Int32Array.from(ends),
      kinds: Uint8Array.from(kinds),
      ...this.#positions(records),
      mayBeTruncated: false,
    };
    this.#records.set(batch, records);
    return batch;
  }

  /** A layout whose slices of packed batches know where their records are in the input. */
  readonly slice = (batch: Batch, from: number, to: number): Batch => {
    const slice = this.#layout.slice(batch, from, to);
    const records = this.#records.get(batch)?.slice(from, to);
    if (records === undefined) return slice;
    const packed = { ...slice, ...this.#positions(records) };
    this.#records.set(packed, records);
    return packed;
  };

  #positions(records: readonly RecordOf[]): { start: Position; end: Position } {
    const [first, last] = [records[0], records.at(-1)];
    if (first === undefined || last === undefined) throw new TypeError('a packed batch has a record');
    return {
      start: this.#layout.positionOf(first.batch, first.index),
      end: this.#layout.positionOf(last.batch, last.index + 1),
    };
  }
}

const opened = () => ({ records: [], kinds: [], ends: [], pieces: [], size: 0 });
