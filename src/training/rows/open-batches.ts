import type { Batch } from '../../formats/csv/batch.ts';
import type { Header } from '../../formats/csv/header.ts';
import { type ReadOptions, readBatches, readHead } from '../../formats/csv/read-batches.ts';
import type { RecordOptions } from '../../formats/csv/records/record-options.ts';
import { RecordReader } from '../../formats/csv/records/record-reader.ts';
import { openSource } from '../../storage/backends.ts';

/** An opened CSV whose records are read but not scored. */
export interface OpenRecords {
  /** For messages: the path, or `stdin`. */
  name: string;
  header: Header;
  /**
   * Its records, which can be read only once.
   *
   * @throws RowcastError for an invalid input, after the batches before the error
   */
  batches: AsyncGenerator<Batch>;
  close(): void;
}

const BATCH_ROWS = 10_000;
const BATCH_BYTES = 1 << 20;

/**
 * Opens a file, or stdin for `-`, gzip or plain, and reads its header.
 *
 * @throws RowcastError `no_such_file`, `unreadable_input`, `empty_input`, `bad_header`, `bad_dialect`
 */
export async function openRecords(
  input: string,
  options: ReadOptions & Pick<RecordOptions, 'onLongField'>,
): Promise<OpenRecords> {
  const source = await openSource(input);
  try {
    const { header, rest } = await readHead(source, options);
    const records = new RecordReader({
      dialect: header.dialect,
      file: source.name,
      width: header.names.length,
      batchRows: BATCH_ROWS,
      batchBytes: () => BATCH_BYTES,
      rowOverhead: 0,
      maxRecordBytes: options.maxRecordBytes,
      onLongField: options.onLongField,
      start: { offset: header.bytes.length, row: 1, line: 1 + header.lines },
    });
    const batches = readBatches({ records, rest, source });
    return { name: source.name, header, batches, close: () => source.close() };
  } catch (error) {
    source.close();
    throw error;
  }
}
