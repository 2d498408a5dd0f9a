import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Batch, RecordKind } from '../../../../src/formats/records/batch.ts';
import { newReader, type ReadOptions, read } from '../../../support/csv/read.ts';

/** The records of a CSV's body, as text, with their kinds. */
function recordsOf(text: string, options: ReadOptions = {}): [string, RecordKind][] {
  const records: [string, RecordKind][] = [];
  for (const { bytes, ends, kinds } of read(text, options).batches) {
    let start = 0;
    for (const [index, end] of ends.entries()) {
      records.push([bytes.toString('utf8', start, end), kinds[index] as RecordKind]);
      start = end;
    }
  }
  return records;
}

const textOf = (batches: Iterable<Batch>): string[] => [...batches].map(({ bytes }) => bytes.toString());
const { plain, quoted, malformed } = RecordKind;

describe('records', () => {
  it('with text after a closing quote are malformed up to the next line ending, even if quotes follow', () => {
    for (const ending of ['\n', '\r\n', '\r'])
      for (const record of ['"1"x,2', '"1"x,"2', '"1" "', '"1"x,""","'])
        assert.deepEqual(
          recordsOf(['a,b', record, '3,4', '"5",6'].join(ending)),
          [
            [record + ending, malformed],
            [`3,4${ending}`, plain],
            ['"5",6', quoted],
          ],
          JSON.stringify([record, ending]),
        );
  });

  it('with a CR after a closing quote are malformed unless an LF follows', () => {
    assert.deepEqual(recordsOf('a,b\n1,"2"\r\n3,"4"\rx\n5,"6"\r'), [
      ['1,"2"\r\n', quoted],
      ['3,"4"\rx\n', malformed],
      ['5,"6"\r', malformed],
    ]);
  });

  it('have no quotes in a dialect without quoting', () => {
    assert.deepEqual(recordsOf('a,b\n"1,2\n3","\n', { quote: 'none' }), [
      ['"1,2\n', plain],
      ['3","\n', plain],
    ]);
  });
});

describe('a blank line', () => {
  it('does not let a batch grow without limit: a file of blank lines is cut by bytes', () => {
    const reader = newReader({ batchBytes: () => 1000 });
    const batches = [...reader.push(Buffer.alloc(10_500, '\n'))];
    assert.ok(batches.length >= 10, `${batches.length} batches`);
    assert.ok(batches.every(({ bytes }) => bytes.length <= 1000));
  });
});

describe('a record that cannot be read to its end stops the run', () => {
  const stops = (text: string, code: string, place: object, options: ReadOptions = {}): void => {
    for (const chunk of [1, 3, 1000])
      for (const batchRows of [1, 1000])
        assert.throws(
          () => read(text, { ...options, chunk, batchRows }),
          { code, severity: 'stopped', location: { file: 'test.csv', ...place } },
          `${JSON.stringify(text)} in chunks of ${chunk}`,
        );
  };

  it('naming the line of the unclosed quote', () => {
    stops('a,b\n1,2\n3,"4\n5,6\n', 'unclosed_quote', { line: 3, row: 2 });
    stops('a,"\n"\n1,2\n\n3,"4', 'unclosed_quote', { line: 5, row: 2 });
    stops(`a,b\n1,2\n3,"${'\n'.repeat(100)}`, 'unclosed_quote', { line: 3, row: 2 });
  });

  it('counting the quoted newlines before it, in other records and in the same one', () => {
    stops('a,b\n1,"x\ny\nz"\n2,"open\nmore\n', 'unclosed_quote', { line: 5, row: 2 });
    stops('a,b\n"x\r\ny","open\r\nmore\r\n', 'unclosed_quote', { line: 3, row: 1 });
  });

  it('counting lines by lone CRs if they end records', () => {
    stops('a,b\r1,"x\ry"\r2,"open\rmore\r', 'unclosed_quote', { line: 4, row: 2 });
  });

  it('if it is too long, naming the line where it starts', () => {
    const long = 'x'.repeat(30);
    stops(`a,b\n1,"\n"\n2,${long}\n3,4\n`, 'record_too_long', { line: 4, row: 2 }, { maxRecordBytes: 20 });
    stops(`a,b\n1,2\n"3",${long}`, 'record_too_long', { line: 3, row: 2 }, { maxRecordBytes: 20 });
    stops(`a,b\r1,"\r"\r2,${long}\r`, 'record_too_long', { line: 4, row: 2 }, { maxRecordBytes: 20 });
  });

  it('or the line of the quote, if an open quote made it too long', () => {
    const rest = '3,4\n'.repeat(20);
    stops(`a,b\n1,2\n"\n","2\n${rest}`, 'unclosed_quote', { line: 4, row: 2 }, { maxRecordBytes: 20 });
  });

  it('but not if its length is exactly the limit', () => {
    const { rows } = read(`a,b\n1,${'x'.repeat(17)}\n2,3\n`, { maxRecordBytes: 20 });
    assert.equal(rows.length, 2);
    assert.throws(() => read(`a,b\n1,${'x'.repeat(18)}\n2,3\n`, { maxRecordBytes: 20 }), /longer than/);
  });
});

describe('a batch is cut', () => {
  it('by rows, counting malformed records but not blank lines', () => {
    const reader = newReader({ batchRows: 2 });
    assert.deepEqual(textOf(reader.push(Buffer.from('1,2\n\n"3"x\n5,6\n7'))), ['1,2\n\n"3"x\n']);
    assert.deepEqual(textOf(reader.end()), ['5,6\n7']);
  });

  it('by bytes, including the overhead of a row in a request body; a larger record is a batch by itself', () => {
    const reader = newReader({ batchBytes: () => 20, rowOverhead: 6 });
    const text = '1,2\n3,4\n5,6\n1234567890,1234567890\n7,8\n';
    assert.deepEqual(
      [...textOf(reader.push(Buffer.from(text))), ...textOf(reader.end())],
      ['1,2\n3,4\n', '5,6\n', '1234567890,1234567890\n', '7,8\n'],
    );
  });

  it('if the source is idle, after the complete records so far', () => {
    const reader = newReader();
    assert.deepEqual(textOf(reader.push(Buffer.from('1,2\n3,"4\n'))), []);
    assert.deepEqual(textOf(reader.push(Buffer.alloc(0))), ['1,2\n']);
    assert.deepEqual(textOf(reader.push(Buffer.alloc(0))), []);
    assert.deepEqual(textOf(reader.push(Buffer.from('"\n5,6\n'))), []);
    assert.deepEqual(textOf(reader.push(Buffer.alloc(0))), ['3,"4\n"\n5,6\n']);
    assert.deepEqual(textOf(reader.end()), []);
  });

  it('at the row limit, and nothing is read beyond it, not even malformed records', () => {
    const reader = newReader({ limit: 3, batchRows: 2 });
    assert.deepEqual(textOf(reader.push(Buffer.from('1,2\n\n3,4\n5,6\n7,"unclosed\n'))), ['1,2\n\n3,4\n']);
    assert.equal(reader.full, true);
    assert.deepEqual(textOf(reader.end()), ['5,6\n']);
    assert.equal(newReader({ limit: 0 }).full, true);
  });

  it('from bytes that are never written to again', () => {
    const reader = newReader({ batchRows: 1 });
    const batches: Batch[] = [];
    const seen: string[] = [];
    for (let row = 0; row < 2000; row++)
      for (const batch of reader.push(Buffer.from(`${row},"${row}"\n`))) {
        batches.push(batch);
        seen.push(batch.bytes.toString());
      }
    assert.equal(batches.length, 2000);
    assert.deepEqual(textOf(batches), seen);
  });
});
