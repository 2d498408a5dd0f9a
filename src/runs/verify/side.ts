import type { Opened } from '../../formats/format.ts';
import type { ReadOptions } from '../../formats/read-options.ts';
import type { Batch } from '../../formats/records/batch.ts';
import type { BatchOptions } from '../../formats/records/batch-reader.ts';
import { readBatches } from '../../formats/records/read-batches.ts';
import type { Source } from '../../storage/source.ts';
import { RecordCursor } from './record-cursor.ts';

/** A file under comparison. */
export interface Side {
  cursor: RecordCursor;
  batches: AsyncGenerator<Batch>;
}

export type SideOptions = Pick<ReadOptions, 'maxRecordBytes'> & Pick<BatchOptions, 'limit' | 'onLongField'>;

/** Batch size; at most two batches of each file are in memory. */
const BATCH_BYTES = 1 << 20;

/** A file whose beginning was read, before its first record. */
export function openSide(
  source: Source,
  { layout, rest }: Opened,
  { maxRecordBytes, limit, onLongField }: SideOptions,
): Side {
  const records = layout.records({
    file: source.name,
    batchRows: Number.POSITIVE_INFINITY,
    batchBytes: () => BATCH_BYTES,
    maxRecordBytes,
    limit,
    start: layout.start,
    onLongField,
  });
  const batches = readBatches({ records, rest, source });
  return { cursor: new RecordCursor(source.name, layout), batches };
}
