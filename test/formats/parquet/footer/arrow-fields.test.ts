import assert from 'node:assert/strict';
import { it } from 'node:test';
import { withWideIntegers } from '../../../../src/formats/parquet/footer/arrow-fields.ts';
import { openParquet } from '../../../../src/formats/parquet/footer/parquet-file.ts';
import { ThriftStruct } from '../../../../src/formats/parquet/footer/thrift.ts';
import { storedBytes } from '../../../support/parquet.ts';

/** The columns `a` and `big` with a row, of which polars 2.1.0 wrote the second one as integers of 128 bits. */
const FILE = Buffer.from(
  [
    'UEFSMRUEFRAVEEwVAhUAAAABAAAAAAAAABUAFRAVECwVAhUQFQYVBgAAAgAAAAIBAAMVBBk1AAYQGRgBYRUAFgIWXBZcJjImCAAV',
    'ABUsFSwsFQIVABUGFQYAAAIAAAACAQAAAAAAAAAAAAAAABAAAAAVDhklAAYZGANiaWcVABYCFk4WTiaUAQAZHBYyFTIWAAAAGRwW',
    'lAEVThYAAAAVAhk8SARyb290FQQAFQQlAhgBYQAVDhUgFQIYA2JpZwAWAhkcGSwmjgEcFQQZNQAGEBkYAWEVABYCFlwWXCYyJggA',
    'FpICFRQAJuIBHBUOGSUABhkYA2JpZxUAFgIWThZOJpQBABamAhUWABaqARYCJggWqgEUAAAZHBgMQVJST1c6c2NoZW1hGOgBLy8v',
    'Ly82WUFBQUFFQUFBQTh2Ly8veFFBQUFBRUFBRUFBQUFLQUFzQUNBQUtBQVFBK1AvLy93d0FBQUFJQUFnQUFBQUVBQUlBQUFBMEFB',
    'QUFCQUFBQU1ELy8vOGdBQUFBRUFBQUFBZ0FBQUFCQWdBQUFBQUFBTGovLy8rQUFBQUFBUUFBQUFNQUFBQmlhV2NBN1AvLy96Z0FB',
    'QUFnQUFBQUdBQUFBQUVDQUFBUUFCSUFCQUFRQUJFQUNBQUFBQXdBQUFBQUFQVC8vLzlBQUFBQUFRQUFBQWdBQ1FBRUFBZ0FBUUFB',
    'QUdFQQAYTlBvbGFycyAocHl0aG9uKSB2ZXJzaW9uIDIuMS4wIChidWlsZCA3ZjkwMmJkM2ZmZDI3ZmY4MmQxNDI3OGEwOWEyOTVm',
    'ZjJmN2FlZDkyKRksHAAAHAAAAM0BAABQQVIx',
  ].join(''),
  'base64',
);

it('integers of 128 bits that only the schema of Arrow calls so are unsupported', async () => {
  const { columns } = await openParquet(storedBytes(FILE), 'polars.parquet');
  const types = columns.map(({ name, type }) => [name, type]);
  assert.deepEqual(types, [
    ['a', { is: 'signed' }],
    ['big', { is: 'unsupported', what: 'integers of 128 bits' }],
  ]);
});

it('bytes stay bytes without such a schema, or with any other text in its place', async () => {
  const file = await openParquet(storedBytes(FILE), 'polars.parquet');
  const bytes = file.columns.map(column =>
    column.name === 'big' ? { ...column, type: { is: 'bytes' as const } } : column,
  );
  assert.equal(withWideIntegers(bytes, new ThriftStruct()), bytes);
  for (const text of ['', 'AAAA', '/////wAA', 'x'.repeat(200)]) {
    const [pair, footer] = [new ThriftStruct(), new ThriftStruct()];
    pair.setText(1, 'ARROW:schema');
    pair.setText(2, text);
    footer.setStructs(5, [pair]);
    assert.deepEqual(withWideIntegers(bytes, footer), bytes);
  }
});
