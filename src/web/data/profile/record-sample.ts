import type { Layout } from '../../../formats/format.ts';
import type { Batch, RecordKind } from '../../../formats/records/batch.ts';
import { textOf } from '../../../formats/records/fields.ts';
import { seededRandom } from '../../../training/seeded-random.ts';

/** A record of a sample. */
interface SampledRecord {
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

/** Values that are in memory at a time, as far as a single column allows. */
const MAX_VALUES = 1_000_000;
const BATCH_BYTES = 1 << 20;

/**
 * The values of each column of a sample. They are read a few columns at a time: as strings, all of them would take
 * several times the memory of the records.
 */
export function* sampledValues(
  records: readonly SampledRecord[],
  layout: Layout,
): Generator<{ column: number; values: string[] }> {
  const width = layout.names.length;
  const fieldsOf = layout.fieldReader();
  const atOnce = Math.max(1, Math.floor(MAX_VALUES / Math.max(1, records.length)));
  for (let from = 0; from < width; from += atOnce) {
    const columns = Array.from({ length: Math.min(atOnce, width - from) }, (_, i) => from + i);
    const values = columns.map((): string[] => []);
    for (const batch of batchesOf(records, layout)) {
      const fields = fieldsOf(batch);
      for (const [i, column] of columns.entries())
        for (let row = 0; row < fields.rows; row++) values[i]?.push(textOf(fields, row, column));
    }
    for (const [i, column] of columns.entries()) yield { column, values: values[i] ?? [] };
  }
}

function* batchesOf(records: readonly SampledRecord[], layout: Layout): Generator<Batch> {
  for (let from = 0; from < records.length; ) {
    let to = from;
    let size = 0;
    const ends: number[] = [];
    for (; to < records.length && (size < BATCH_BYTES || to === from); to++) {
      size += records[to]?.latin1.length ?? 0;
      ends.push(size);
    }
    const part = records.slice(from, to);
    yield {
      bytes: Buffer.from(part.map(({ latin1 }) => latin1).join(''), 'latin1'),
      ends: Int32Array.from(ends),
      kinds: Uint8Array.from(part, ({ kind }) => kind),
      // The positions of sampled records are not known, and not needed: they are well-formed.
      start: layout.start,
      end: layout.start,
      mayBeTruncated: false,
    };
    from = to;
  }
}
