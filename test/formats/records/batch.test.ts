import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RecordReader } from '../../../src/formats/csv/records/record-reader.ts';
import { countRows, RecordKind, recordEnds, startOf } from '../../../src/formats/records/batch.ts';
import { LF } from '../../../src/formats/records/line-endings.ts';
import { read } from '../../support/csv/read.ts';

const lines = ['a,"b\nc"', '1,2', '', '"3\n\n","4"', '5,"6"x', '', '7', '8,é', '"\n",9'];
const inputs = {
  LF: `${lines.join('\n')}\n`,
  CRLF: lines.join('\r\n'),
  CR: `${lines.join('\n').replaceAll('\n', '\r')}\r`,
};

for (const [ending, text] of Object.entries(inputs))
  describe(`batches of a file with ${ending}`, () => {
    const input = Buffer.from(text);

    it('know the offset, row and line where they start', () => {
      for (const batchRows of [1, 2, 100]) {
        const { head, batches } = read(text, { batchRows, chunk: 5 });
        let offset = head.bytes.length;
        let row = 1;
        for (const batch of batches) {
          const before = input.toString('latin1', 0, batch.start.offset);
          assert.equal(batch.start.offset, offset);
          assert.equal(batch.start.row, row);
          assert.equal(batch.start.line, before.split(ending === 'CR' ? '\r' : '\n').length);
          offset += batch.bytes.length;
          row += batch.kinds.filter(kind => kind !== RecordKind.blank).length;
        }
        assert.equal(offset, input.length);
        assert.equal(row, 7);
      }
    });

    it('know the row and line of each record', () => {
      const { head, batches } = read(text, { batchRows: 100 });
      const [batch] = batches;
      assert.ok(batch);
      const places = Array.from(batch.kinds, (_, index) => recordEnds(head.dialect).positionOf(batch, index));
      assert.deepEqual(
        places.map(({ line }) => line),
        [3, 4, 5, 8, 9, 10, 11, 12],
      );
      assert.deepEqual(
        places.map(({ row }) => row),
        [1, 2, 2, 3, 4, 4, 5, 6],
      );
    });

    it('sliced are the same as when read from there', () => {
      const { head, batches } = read(text, { batchRows: 100 });
      const [batch] = batches;
      assert.ok(batch);
      const count = batch.ends.length;
      for (let from = 0; from < count; from++)
        for (let to = from + 1; to <= count; to++) {
          const slice = recordEnds(head.dialect).slice(batch, from, to);
          const reader = new RecordReader({
            dialect: head.dialect,
            file: 'test.csv',
            width: 2,
            batchRows: 100,
            batchBytes: () => 1 << 20,
            maxRecordBytes: 1 << 20,
            start: slice.start,
          });
          const end = startOf(batch, from) + slice.bytes.length;
          const pushed = input.subarray(slice.start.offset, batch.start.offset + end);
          // Read alone, a slice is a whole input: only a final line feed shows that it was not truncated.
          const alone = { ...slice, mayBeTruncated: slice.bytes.at(-1) !== LF };
          assert.deepEqual([...reader.push(pushed), ...reader.end()], [alone], `[${from}, ${to})`);
          assert.equal(countRows(slice), countRows(batch, from, to));
        }
    });
  });
