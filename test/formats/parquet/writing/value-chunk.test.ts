import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CHUNK, COLUMN, STATISTICS } from '../../../../src/formats/parquet/footer/numbers.ts';
import { valueChunk } from '../../../../src/formats/parquet/writing/value-chunk.ts';
import { ValueColumn } from '../../../../src/formats/parquet/writing/value-column.ts';

describe('the chunk of a column of numbers', () => {
  it('says how many rows are no number', () => {
    const column = new ValueColumn();
    for (const value of [Number.NaN, 1.5, Number.NaN, Number.NaN])
      column.add(new Uint8Array(Float64Array.of(value).buffer), 0, 8);
    column.addMissing();
    const { chunk } = valueChunk(column, 'a', 'DOUBLE');
    const statistics = chunk.struct(CHUNK.metadata).struct(COLUMN.statistics);
    assert.deepEqual([statistics.integer(STATISTICS.nans), statistics.integer(STATISTICS.missing)], [3, 1]);
  });
});
