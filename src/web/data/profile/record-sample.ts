import type { Layout } from '../../../formats/format.ts';
import { textOf } from '../../../formats/records/fields.ts';
import { keptBatches } from '../../../training/rows/open-batches.ts';
import { seededRandom } from '../../../training/seeded-random.ts';

interface Drawn {
  record: string;
  /** Random; the sample is the records with the lowest ranks. */
  rank: number;
}

const MAX_ROWS = 10_000;
const MAX_BYTES = 64 << 20;

/** A random sample of a stream of records as Latin-1, limited in records and bytes; all of them, if they are few. */
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
  add(size: number, make: () => string): void {
    const rank = this.#random();
    if (rank > this.#cutoff) return;
    this.#drawn.push({ rank, record: make() });
    this.#bytes += size;
    // Each time, half of the records go, so that sorting them is rare.
    if (this.#drawn.length >= 2 * this.#maxRows) this.#keep(this.#maxRows);
    while (this.#bytes > this.#maxBytes && this.#drawn.length > 1) this.#keep(this.#drawn.length >> 1);
  }

  /** The sample, in the order of the records. */
  records(): string[] {
    if (this.#drawn.length > this.#maxRows) this.#keep(this.#maxRows);
    return this.#drawn.map(({ record }) => record);
  }

  #keep(count: number): void {
    this.#cutoff = Float64Array.from(this.#drawn, ({ rank }) => rank).sort()[count - 1] ?? 1;
    this.#drawn = this.#drawn.filter(({ rank }) => rank <= this.#cutoff);
    this.#bytes = this.#drawn.reduce((sum, { record }) => sum + record.length, 0);
  }
}

/** Values that are in memory at a time, as far as a single column allows. */
const MAX_VALUES = 1_000_000;

/**
 * The values of each column of a sample. They are read a few columns at a time: as strings, all of them would take
 * several times the memory of the records.
 */
export function* sampledValues(
  records: readonly string[],
  layout: Layout,
  maxRecordBytes: number,
): Generator<{ column: number; values: string[] }> {
  const width = layout.names.length;
  const fieldsOf = layout.fieldReader();
  const atOnce = Math.max(1, Math.floor(MAX_VALUES / Math.max(1, records.length)));
  for (let from = 0; from < width; from += atOnce) {
    const columns = Array.from({ length: Math.min(atOnce, width - from) }, (_, i) => from + i);
    const values = columns.map((): string[] => []);
    for (const batch of keptBatches(layout, records, maxRecordBytes)) {
      const fields = fieldsOf(batch);
      for (const [i, column] of columns.entries())
        for (let row = 0; row < fields.rows; row++) values[i]?.push(textOf(fields, row, column));
    }
    for (const [i, column] of columns.entries()) yield { column, values: values[i] ?? [] };
  }
}
