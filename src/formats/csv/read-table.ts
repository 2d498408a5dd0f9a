import { RowcastError } from '../../base/errors.ts';
import { positionOf } from '../records/batch.ts';
import { textsOf } from '../records/fields.ts';
import { dialectOf } from './dialect.ts';
import { FieldReader } from './fields/field-reader.ts';
import { afterHeader, readHeader } from './header.ts';
import { RecordReader } from './records/record-reader.ts';

export interface Table {
  header: string[];
  /** Each has as many fields as the header. */
  rows: string[][];
}

export interface TableOptions {
  file: string;
  delimiter?: string | undefined;
  quote?: string | undefined;
  /** Longest record; by default 1 MiB. */
  maxRecordBytes?: number;
}

const MAX_RECORD_BYTES = 1 << 20;

/**
 * Reads a whole CSV into memory, such as training data. Blank lines are skipped.
 *
 * @throws RowcastError for malformed records, with the line: training data must be valid
 */
export function readTable(bytes: Buffer, options: TableOptions): Table {
  const { file, maxRecordBytes = MAX_RECORD_BYTES } = options;
  const header = readHeader(bytes, true, {
    dialect: dialectOf(options),
    file,
    maxRecordBytes,
  });
  if (header === undefined) throw new Error('a header is found or missed when all bytes are there');
  const { dialect } = header;
  const width = header.names.length;
  const reader = new RecordReader({
    dialect,
    file,
    width,
    batchRows: 10_000,
    batchBytes: () => Number.POSITIVE_INFINITY,
    rowOverhead: 0,
    maxRecordBytes,
    start: afterHeader(header),
  });
  const fieldReader = new FieldReader(width, dialect);
  const rows: string[][] = [];
  for (const read of [reader.push(bytes.subarray(header.bytes.length)), reader.end()])
    for (const batch of read) {
      const fields = fieldReader.read(batch);
      for (const [index, fault] of fields.faults) {
        const { line, row } = positionOf(batch, index, dialect);
        throw new RowcastError(fault.code, fault.reason, { location: { file, line, row } });
      }
      for (let row = 0; row < fields.rows; row++) rows.push(textsOf(fields, row));
    }
  return { header: [...header.names], rows };
}
