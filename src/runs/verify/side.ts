import { afterHeader } from '../../formats/csv/header.ts';
import type { Head } from '../../formats/csv/read-head.ts';
import { RecordReader } from '../../formats/csv/records/record-reader.ts';
import type { ReadOptions } from '../../formats/read-options.ts';
import type { Batch } from '../../formats/records/batch.ts';
import type { LongField } from '../../formats/records/long-field.ts';
import { readBatches } from '../../formats/records/read-batches.ts';
import type { Source } from '../../storage/source.ts';
import { RecordCursor } from './record-cursor.ts';

/** A file under comparison. */
export interface Side {
  cursor: RecordCursor;
  batches: AsyncGenerator<Batch>;
}

export interface SideOptions extends Pick<ReadOptions, 'maxRecordBytes'> {
  limit?: number | undefined;
  /** Called for the first suspiciously long quoted field. */
  onLongField?: ((field: LongField) => void) | undefined;
}

/** Batch size; at most two batches of each file are in memory. */
const BATCH_BYTES = 1 << 20;

/** A file whose header was read, before its first record. */
export function openSide(
  source: Source,
  { header, rest }: Head,
  { maxRecordBytes, limit, onLongField }: SideOptions,
): Side {
  const start = afterHeader(header);
  const { dialect } = header;
  const records = new RecordReader({
    dialect,
    file: source.name,
    width: header.names.length,
    batchRows: Number.POSITIVE_INFINITY,
    batchBytes: () => BATCH_BYTES,
    rowOverhead: 0,
    maxRecordBytes,
    limit,
    start,
    onLongField,
  });
  const batches = readBatches({ records, rest, source });
  return { cursor: new RecordCursor(source.name, dialect, start), batches };
}
