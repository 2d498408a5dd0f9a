import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { read } from '../../../support/csv/read.ts';

describe('the fields of a record', () => {
  it('take memory in proportion to the bytes, not to the columns of the header', () => {
    const header = Array.from({ length: 100_000 }, (_, index) => index).join();
    const records = '1\n'.repeat(10_000);
    const options = { batchRows: 10_000, chunk: 1 << 16, maxRecordBytes: 1 << 22 };
    assert.equal(read(`${header}\n${records}`, options).faults.length, 10_000);
    assert.equal(read(`${header}\n${records}${header}\n`, options).rows[0]?.length, 100_000);
  });

  it('stay with their record if there are quoted ragged records in between', () => {
    const text = 'a,b\n"1",2\n"x"\n3,4\n"y","z",""\n"5","6"\n"w"v\n7,"8"\n9,10\n';
    for (const batchRows of [1, 2, 100]) {
      const { rows, faults } = read(text, { batchRows });
      assert.deepEqual(rows, [
        ['1', '2'],
        ['3', '4'],
        ['5', '6'],
        ['7', '8'],
        ['9', '10'],
      ]);
      assert.deepEqual(
        faults.map(({ code, line }) => [code, line]),
        [
          ['too_few_fields', 3],
          ['too_many_fields', 5],
          ['bad_quoting', 7],
        ],
      );
    }
  });

  it('are unchanged after a ragged record with escaped quotes', () => {
    const text = 'a,b,c\n1,"p""q"\n1,"x,y",3\n"p""q","r""s","t""u","v""w"\n2,"z""z,z",4\n';
    for (const batchRows of [1, 2, 100])
      assert.deepEqual(read(text, { batchRows }).rows, [
        ['1', 'x,y', '3'],
        ['2', 'z"z,z', '4'],
      ]);
  });

  it('of a record that is not UTF-8 are not returned; those of its neighbours are', () => {
    const text = Buffer.concat([
      Buffer.from('a,b\né,1\n"'),
      Buffer.from([0xe9]), // é in Latin-1
      Buffer.from('",2\n'),
      Buffer.from([0xed, 0xa0, 0x80]), // a surrogate, which is not valid in UTF-8
      Buffer.from(',3\n"日",4\n'),
    ]);
    const { rows, faults } = read(text, { batchRows: 100 });
    assert.deepEqual(rows, [
      ['é', '1'],
      ['日', '4'],
    ]);
    assert.deepEqual(
      faults.map(({ code, line }) => [code, line]),
      [
        ['not_utf8', 3],
        ['not_utf8', 4],
      ],
    );
  });

  it('are split at the delimiter of the dialect, quoted with its quote', () => {
    assert.deepEqual(read("a;b\n'1;''';\"2\n", { delimiter: ';', quote: "'" }).rows, [["1;'", '"2']]);
    assert.deepEqual(read('a\tb\n"1\t2\n', { file: 'x.tsv', quote: 'none' }).rows, [['"1', '2']]);
  });
});
