import assert from 'node:assert/strict';
import { BatchMemory } from '../../../src/base/kernel/batch-memory.ts';
import { type DialectOptions, dialectOf } from '../../../src/formats/csv/dialect.ts';
import { FieldReader } from '../../../src/formats/csv/fields/field-reader.ts';
import { afterHeader, type Header, readHeader } from '../../../src/formats/csv/header.ts';
import { noRowFinder } from '../../../src/formats/csv/records/no-rows.ts';
import { RecordReader } from '../../../src/formats/csv/records/record-reader.ts';
import { type Batch, recordEnds } from '../../../src/formats/records/batch.ts';
import type { Fault } from '../../../src/formats/records/faults.ts';
import { type Fields, textsOf } from '../../../src/formats/records/fields.ts';
import { countLines } from '../../../src/formats/records/line-endings.ts';
import type { InputRange, Position } from '../../../src/formats/records/position.ts';

export interface ReadOptions extends DialectOptions {
  /** Bytes per chunk. */
  chunk?: number;
  batchRows?: number;
  batchBytes?: number;
  maxRecordBytes?: number;
  limit?: number;
  /** Whether records that are no rows are looked for: a repeated header, and records without a value. */
  findsNoRows?: boolean;
  /** By default, all records after the header. */
  range?: InputRange;
}

export interface Read {
  /** The whole header; `header` has only its names. */
  head: Header;
  header: string[];
  batches: Batch[];
  rows: string[][];
  /** Each with the line where its record starts. */
  faults: (Fault & { line: number })[];
}

/** That of all readers, because each memory takes many addresses. */
export const kernelMemory = kernelMemoryOf();

function kernelMemoryOf(): BatchMemory {
  const memory = BatchMemory.create();
  if (memory === undefined) throw new Error('there are no addresses for a kernel');
  return memory;
}

const allTexts = (fields: Fields): string[][] =>
  Array.from({ length: fields.rows }, (_, row) => textsOf(fields, row));

/**
 * Reads a CSV the way the pipeline does: header, records, fields; in chunks of any size. With and without a kernel, the
 * fields are the same.
 */
export function read(text: string | Buffer, options: ReadOptions = {}): Read {
  const { chunk = 7, batchRows = 3, batchBytes = 1 << 20, maxRecordBytes = 1 << 20, limit } = options;
  const bytes = Buffer.from(text);
  const header = readHeader(bytes, true, { dialect: dialectOf(options), file: 'test.csv', maxRecordBytes });
  if (header === undefined) throw new Error('no header');
  const { dialect, names } = header;
  const { range = { start: afterHeader(header) } } = options;
  const reader = new RecordReader({
    dialect,
    file: 'test.csv',
    width: names.length,
    batchRows,
    batchBytes: () => batchBytes,
    maxRecordBytes,
    limit,
    ...(options.findsNoRows && { findNoRow: noRowFinder(header) }),
    ...range,
  });
  const batches: Batch[] = [];
  for (let at = range.start.offset; at < bytes.length && !reader.full; at += chunk)
    batches.push(...reader.push(bytes.subarray(at, at + chunk)));
  batches.push(...reader.end());

  const fieldReader = new FieldReader(names.length, dialect);
  const kernelReader = new FieldReader(names.length, dialect, kernelMemory);
  const rows: string[][] = [];
  const faults: Read['faults'] = [];
  for (const batch of batches) {
    const fields = fieldReader.read(batch);
    const texts = allTexts(fields);
    kernelMemory.clear();
    const found = kernelReader.read(batch);
    assert.deepEqual(allTexts(found), texts);
    assert.deepEqual([...found.faults], [...fields.faults]);
    for (const row of texts) rows.push(row);
    let { line } = batch.start;
    let counted = 0;
    for (const [index, fault] of fields.faults) {
      const start = batch.ends[index - 1] ?? 0;
      line += countLines(batch.bytes, counted, start, dialect);
      counted = start;
      faults.push({ ...fault, line });
    }
  }
  return { head: header, header: [...names], batches, rows, faults };
}

/** Where each record begins, and where the last one ends. */
export function boundariesOf({ batches, head }: Read): Position[] {
  const starts = batches.flatMap(batch =>
    Array.from(batch.ends, (_, index) => recordEnds(head.dialect).positionOf(batch, index)),
  );
  return [...starts, batches.at(-1)?.end ?? afterHeader(head)];
}

/** A reader of two columns, from the first byte on. */
export function newReader(
  overrides: Partial<ConstructorParameters<typeof RecordReader>[0]> = {},
): RecordReader {
  return new RecordReader({
    dialect: dialectOf({}),
    file: 'test.csv',
    width: 2,
    batchRows: 1000,
    batchBytes: () => 1 << 20,
    maxRecordBytes: 1 << 20,
    start: { offset: 0, row: 1, line: 1 },
    ...overrides,
  });
}
