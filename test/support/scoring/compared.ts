import { RowcastError } from '../../../src/base/errors.ts';
import { dialectOf } from '../../../src/formats/csv/dialect.ts';
import { type Header, readHeader } from '../../../src/formats/csv/header.ts';
import { RecordReader } from '../../../src/formats/csv/records/record-reader.ts';
import { rejectEnding } from '../../../src/formats/csv/reject-records.ts';
import type { Batch } from '../../../src/formats/records/batch.ts';
import { compare, type VerifiedRows } from '../../../src/runs/verify/compare.ts';
import { compareHeaders, compareRejectsHeader } from '../../../src/runs/verify/compare-header.ts';
import { RecordCursor } from '../../../src/runs/verify/record-cursor.ts';

export interface CompareOptions {
  rejects?: string | Buffer | undefined;
  delimiter?: string;
  quote?: string;
  /** Rows per batch, so that the compared bytes are at the edges of batches. */
  batchRows?: number;
}

/** Compares a pair in memory, as `verify` does with files. */
export function compareTexts(
  input: string | Buffer,
  output: string | Buffer,
  options: CompareOptions = {},
): VerifiedRows {
  const open = (file: string, text: string | Buffer) => {
    const bytes = Buffer.from(text);
    const dialect = dialectOf(options);
    const header = readHeader(bytes, true, { dialect, file, maxRecordBytes: 1 << 20 });
    if (header === undefined) throw new Error('all bytes are available, so the header is found or missing');
    return { file, header, rest: bytes.subarray(header.bytes.length) };
  };
  const sides = {
    input: open('in.csv', input),
    output: open('out.csv', output),
    rejects: options.rejects === undefined ? undefined : open('rejects.csv', options.rejects),
  };
  const appended = compareHeaders(sides.input, sides.output);
  if (sides.rejects !== undefined) compareRejectsHeader(sides.input, sides.rejects);

  const batches = new Map<RecordCursor, Iterator<Batch>>();
  const cursorOf = ({ file, header, rest }: { file: string; header: Header; rest: Buffer }): RecordCursor => {
    const start = { offset: header.bytes.length, row: 1, line: 1 + header.lines };
    const reader = new RecordReader({
      dialect: header.dialect,
      file,
      width: header.names.length,
      batchRows: options.batchRows ?? 3,
      batchBytes: () => 1 << 20,
      rowOverhead: 0,
      maxRecordBytes: 1 << 20,
      start,
    });
    const cursor = new RecordCursor(file, header.dialect, start);
    batches.set(cursor, batchesOf(reader, rest));
    return cursor;
  };
  const comparison = compare({
    input: cursorOf(sides.input),
    output: cursorOf(sides.output),
    rejects: sides.rejects && cursorOf(sides.rejects),
    headerEnding: rejectEnding(sides.input.header),
    width: sides.input.header.names.length,
    names: sides.input.header.names,
    appended,
  });
  for (;;) {
    const { value, done } = comparison.next();
    if (done) return value;
    value.setBatch(batches.get(value)?.next().value);
  }
}

/** The result for a pair: `equal`, or the first difference with its location. */
export function outcomeOf(
  input: string | Buffer,
  output: string | Buffer,
  options: CompareOptions = {},
): string {
  try {
    compareTexts(input, output, options);
    return 'equal';
  } catch (error) {
    if (!(error instanceof RowcastError)) throw error;
    return `${error.location.file}:${error.location.line}: ${error.message}`;
  }
}

function* batchesOf(reader: RecordReader, bytes: Buffer): Generator<Batch> {
  yield* reader.push(bytes);
  yield* reader.end();
}
