import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BatchMemory } from '../../../src/base/kernel/batch-memory.ts';
import { BatchColumns, type PlacedBatch } from '../../../src/formats/columns/batch-columns.ts';
import { readerOf } from '../../../src/formats/columns/reader-of.ts';
import { type CsvLayout, csvLayout } from '../../../src/formats/csv/csv-layout.ts';
import type { Batch } from '../../../src/formats/records/batch.ts';
import { read } from '../../support/csv/read.ts';

const header = (fields: number): string => `${Array.from({ length: fields }, (_, i) => `c${i}`).join(',')}\n`;
const layoutOf = (fields: number): CsvLayout => csvLayout({ header: read(header(fields)).head });

/** All records in one batch. */
function batchOf(layout: CsvLayout, records: string): Batch {
  const { start } = layout;
  const limits = { batchRows: 10_000, batchBytes: () => 1 << 30, maxRecordBytes: 1 << 30 };
  const reader = layout.records({ start, file: 'in.csv', ...limits });
  const [batch, ...others] = [...reader.push(Buffer.from(records)), ...reader.end()];
  assert.ok(batch && others.length === 0);
  return batch;
}

/** The numbers of the first column. */
function numbersOf({ fields, values }: PlacedBatch): number[] {
  const reader = readerOf({ name: 'c0', type: 'numerical', notation: 'point' }, 'numerical', undefined);
  const step = values.length / fields.rows;
  values.fill(7);
  reader.read(fields, 0, values, 0, step, 0, fields.rows);
  return Array.from({ length: fields.rows }, (_, row) => values[row * step] ?? 0);
}

describe('a batch in the memory of a kernel', () => {
  it('takes none for blank lines, however wide the rows are', () => {
    const layout = layoutOf(70_000);
    const columns = new BatchColumns(layout, BatchMemory.create());
    const { fields, values } = columns.place(batchOf(layout, '\n'.repeat(10_000)), layout.names.length);
    assert.equal(fields.rows, 0);
    assert.equal(values.length, 0);
  });

  it('may be followed by one that is too large for it, whose fields are elsewhere', () => {
    const layout = layoutOf(100);
    const memory = BatchMemory.create();
    assert.ok(memory);
    const columns = new BatchColumns(layout, memory);
    memory.reserve(4 << 20); // so that it does not grow, which would take the offsets of the batch before away
    // Blank lines have memory for the offsets of many fields, behind that for the values of few rows.
    columns.place(batchOf(layout, '\n'.repeat(5000)), 1000);
    const large = Array.from({ length: 90 }, (_, row) => `${row},${'x'.repeat(1 << 18)}${','.repeat(98)}\n`);
    const placed = columns.place(batchOf(layout, large.join('')), 1000);
    assert.deepEqual(
      numbersOf(placed),
      large.map((_, row) => row),
    );
  });
});
