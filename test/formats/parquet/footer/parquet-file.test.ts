import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CHUNK, COLUMN, FILE, GROUP } from '../../../../src/formats/parquet/footer/numbers.ts';
import { openParquet, valuesInRows } from '../../../../src/formats/parquet/footer/parquet-file.ts';
import { changeAll, parquetOf, storedBytes, withFooter } from '../../../support/parquet.ts';

const valuesOf = async (bytes: Buffer): Promise<string> =>
  valuesInRows(await openParquet(storedBytes(bytes), 'in.parquet'));

/** The file without the statistics of some columns of each group. */
const withoutStatistics = (bytes: Buffer, ...columns: readonly number[]): Buffer =>
  withFooter(bytes, footer =>
    changeAll(footer, FILE.groups, group =>
      changeAll(group, GROUP.columns, (chunk, index) => {
        const metadata = chunk.struct(CHUNK.metadata).copy();
        if (columns.includes(index)) metadata.delete(COLUMN.statistics);
        chunk.setStruct(CHUNK.metadata, metadata);
      }),
    ),
  );

describe('what a footer says of the values of rows', () => {
  it('is that each has some if a column of each group lacks none', async () => {
    assert.equal(await valuesOf(await parquetOf('a,b\n1,\n2,x\n,3\n,4\n', { groupRows: 2 })), 'some');
  });

  it('is that one may have none if all columns of a group lack values', async () => {
    assert.equal(await valuesOf(await parquetOf('a,b\n1,\n,x\n3,3\n,4\n', { groupRows: 2 })), 'none');
  });

  it('is nothing without the statistics that would say it', async () => {
    const bytes = await parquetOf('a,b\n1,\n2,x\n');
    assert.equal(await valuesOf(withoutStatistics(bytes, 1)), 'some');
    assert.equal(await valuesOf(withoutStatistics(bytes, 0)), 'unknown');
    assert.equal(await valuesOf(withoutStatistics(bytes, 0, 1)), 'unknown');
  });
});
