import { RowcastError } from '../../../src/base/errors.ts';
import { type CsvLayout, csvLayout } from '../../../src/formats/csv/csv-layout.ts';
import { dialectOf } from '../../../src/formats/csv/dialect.ts';
import { readHeader } from '../../../src/formats/csv/header.ts';
import type { Batch } from '../../../src/formats/records/batch.ts';
import type { BatchReader } from '../../../src/formats/records/read-batches.ts';
import { compare, type VerifiedRows } from '../../../src/runs/verify/compare.ts';
import { compareHeaders } from '../../../src/runs/verify/compare-header.ts';
import { mismatch, RecordCursor } from '../../../src/runs/verify/record-cursor.ts';

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
    return { file, layout: csvLayout({ header }), rest: bytes.subarray(header.bytes.length) };
  };
  const sides = {
    input: open('in.csv', input),
    output: open('out.csv', output),
    rejects: options.rejects === undefined ? undefined : open('rejects.csv', options.rejects),
  };
  const { layout } = sides.input;
  const comparison = layout.compareWith(sides.output.layout, 'in.csv');
  const appended = compareHeaders(comparison, { input: 'in.csv', output: 'out.csv' }, {});
  const wrong = sides.rejects && layout.rejectRecords.wrongHeader(sides.rejects.layout, 'in.csv');
  if (wrong !== undefined) throw mismatch(wrong, { file: 'rejects.csv', line: 1 });

  const batches = new Map<RecordCursor, Iterator<Batch>>();
  const cursorOf = ({
    file,
    layout,
    rest,
  }: {
    file: string;
    layout: CsvLayout;
    rest: Buffer;
  }): RecordCursor => {
    const reader = layout.records({
      file,
      batchRows: options.batchRows ?? 3,
      batchBytes: () => 1 << 20,
      maxRecordBytes: 1 << 20,
      start: layout.start,
    });
    const cursor = new RecordCursor(file, layout);
    batches.set(cursor, batchesOf(reader, rest));
    return cursor;
  };
  const comparing = compare({
    input: cursorOf(sides.input),
    output: cursorOf(sides.output),
    rejects: sides.rejects && cursorOf(sides.rejects),
    comparison,
    appended,
  });
  for (;;) {
    const { value, done } = comparing.next();
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

function* batchesOf(reader: BatchReader, bytes: Buffer): Generator<Batch> {
  yield* reader.push(bytes);
  yield* reader.end();
}
