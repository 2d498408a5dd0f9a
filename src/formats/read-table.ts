import { RowcastError } from '../base/errors.ts';
import { type Formats, readLayout } from './formats.ts';
import type { ReadOptions } from './read-options.ts';
import { sourceOf } from './records/byte-source.ts';
import { textsOf } from './records/fields.ts';
import { readBatches } from './records/read-batches.ts';

export interface Table {
  header: string[];
  /** Each has as many fields as the header. */
  rows: string[][];
}

export interface TableOptions extends Pick<ReadOptions, 'delimiter' | 'quote'> {
  /** The name of the file, which may tell its format. */
  file: string;
  /** Longest record; by default 1 MiB. */
  maxRecordBytes?: number;
}

const MAX_RECORD_BYTES = 1 << 20;

/**
 * Reads a whole file that is in memory, such as training data. Blank lines are skipped.
 *
 * @throws RowcastError for malformed records, with the line
 */
export async function readTable(bytes: Buffer, options: TableOptions, formats?: Formats): Promise<Table> {
  const { file, maxRecordBytes = MAX_RECORD_BYTES } = options;
  const source = sourceOf(file, chunksOf(bytes));
  const { layout, rest } = await readLayout(source, { ...options, maxRecordBytes }, formats);
  const records = layout.records({
    file,
    batchRows: 10_000,
    maxRecordBytes,
    areRows: true,
    start: layout.start,
  });
  const fieldsOf = layout.fieldReader();
  const rows: string[][] = [];
  for await (const batch of readBatches({ records, rest, source })) {
    const fields = fieldsOf(batch);
    for (const [index, fault] of fields.faults) {
      const { line, row } = layout.positionOf(batch, index);
      throw new RowcastError(fault.code, fault.reason, { location: { file, line, row } });
    }
    for (let row = 0; row < fields.rows; row++) rows.push(textsOf(fields, row));
  }
  return { header: [...layout.names], rows };
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
