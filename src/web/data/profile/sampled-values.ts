import type { Layout } from '../../../formats/format.ts';
import type { Batch } from '../../../formats/records/batch.ts';
import { textOf } from '../../../formats/records/fields.ts';
import type { SampledRecord } from './record-sample.ts';

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
