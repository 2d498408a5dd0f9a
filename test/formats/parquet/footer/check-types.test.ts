import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkFooterTypes } from '../../../../src/formats/parquet/footer/check-types.ts';
import { ThriftStruct, writeStruct } from '../../../../src/formats/parquet/footer/thrift.ts';
import { ThriftCursor } from '../../../../src/formats/parquet/footer/thrift-cursor.ts';
import { parquetOf } from '../../../support/parquet.ts';

const check = (footer: Buffer): void => checkFooterTypes(new ThriftCursor(footer, 0));
const wrong = { name: 'ThriftError', message: 'a member has another type than in the format' };

/** A footer with one group and one column, of which one thing is changed. */
function footerWith(change: (column: ThriftStruct, statistics: ThriftStruct) => void): Buffer {
  const [footer, group, chunk, column, statistics] = Array.from({ length: 5 }, () => new ThriftStruct());
  if (!footer || !group || !chunk || !column || !statistics) throw new TypeError('there are five');
  statistics.setInteger(3, 0, 'i64');
  column.setInteger(1, 6, 'i32');
  column.setIntegers(2, [0]);
  change(column, statistics);
  if (!column.has(12)) column.setStruct(12, statistics);
  chunk.setInteger(2, 4, 'i64');
  chunk.setStruct(3, column);
  group.setStructs(1, [chunk]);
  footer.setStructs(4, [group]);
  return writeStruct(footer);
}

describe('the members of a footer', () => {
  it('have their types in files of other writers', async () => {
    const file = await parquetOf('a,b\n1,x\n2,\n', { groupRows: 1, numbers: ['a'] });
    const end = file.length - 8;
    check(file.subarray(end - file.readUInt32LE(end), end));
    check(footerWith(() => {}));
  });

  it('have no other type, also in statistics, lists and members that are not decoded', () => {
    for (const change of [
      (_, statistics) => statistics.setInteger(5, 1, 'i64'),
      column => column.setTexts(2, ['plain']),
      column => column.setInteger(2, 0, 'i32'),
      column => column.setText(10, 'index'),
      column => column.setInteger(12, 0, 'i32'),
      column => column.setIntegers(13, [1]),
    ] satisfies Parameters<typeof footerWith>[0][])
      assert.throws(() => check(footerWith(change)), wrong);
  });

  it('have a physical type and a compression that the format has', () => {
    const unknown = { name: 'ThriftError', message: 'a member has a value that the format does not have' };
    for (const [id, value] of [
      [1, 8],
      [1, -1],
      [4, 8],
    ] as const)
      assert.throws(() => check(footerWith(column => column.setInteger(id, value, 'i32'))), unknown);
    check(footerWith(column => column.setInteger(4, 7, 'i32')));
  });

  it('may be unknown, if they are of a type that the format has', () => {
    check(footerWith(column => column.setText(40, 'of a later version')));
    const map = Buffer.from([0x0b | 0x10, 0, 0]);
    assert.throws(() => check(map), wrong);
    const unknown = Buffer.from([0x0b, 80, 0, 0]);
    assert.throws(() => check(unknown), /there is no type 11/);
  });
});
