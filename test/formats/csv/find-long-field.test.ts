import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { longFieldOfHeader } from '../../../src/formats/csv/find-long-field.ts';
import type { LongField } from '../../../src/formats/records/read-batches.ts';
import { newReader, read } from '../../support/csv/read.ts';

/** What is reported for the body of a CSV with two columns, read in small batches. */
function reported(body: string, { loneCr = false, chunk = 1000 } = {}): LongField[] {
  const fields: LongField[] = [];
  const dialect = { delimiter: ',', quote: '"', loneCr };
  const start = { offset: 4, row: 1, line: 2 };
  const reader = newReader({ dialect, start, batchRows: 2, onLongField: field => fields.push(field) });
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length; at += chunk) Array.from(reader.push(bytes.subarray(at, at + chunk)));
  Array.from(reader.end());
  return fields;
}

/** Text of this many lines, with two bytes each except the last. */
const lines = (count: number, ending = '\n'): string => `x${ending}`.repeat(count - 1);

describe('a quoted field that is suspiciously long', () => {
  it('has more than 64 KiB or more than 100 lines', () => {
    assert.deepEqual(reported(`1,"${'x'.repeat(65_536)}"\n`), []);
    assert.deepEqual(reported(`1,"${'x'.repeat(65_537)}"\n`), [{ line: 2, row: 1, bytes: 65_537, lines: 1 }]);
    assert.deepEqual(reported(`1,"${lines(100)}"\n`), []);
    assert.deepEqual(reported(`1,"${lines(101)}"\n`), [{ line: 2, row: 1, bytes: 200, lines: 101 }]);
  });

  it('is reported once, with the line on which its quote opens, however the input is chunked', () => {
    const body = `1,2\n\n"a\nb","${lines(101)}"\n3,4\n5,"${lines(200)}"\n`;
    for (const chunk of [1, 7, 1000])
      assert.deepEqual(reported(body, { chunk }), [{ line: 5, row: 2, bytes: 200, lines: 101 }]);
  });

  it('may be followed by text, or be in a file with lone CRs', () => {
    assert.deepEqual(reported(`1,2\n"3${lines(150)}4"x,5\n6,7\n`), [
      { line: 3, row: 2, bytes: 300, lines: 150 },
    ]);
    const found = reported(`1,2\r3,"${lines(150, '\r')}"\r`, { loneCr: true });
    assert.deepEqual(found, [{ line: 3, row: 2, bytes: 298, lines: 150 }]);
  });

  it('is not a long record of short fields, nor a long field without quotes', () => {
    assert.deepEqual(reported(`1,${'"a ""b""",'.repeat(10_000)}\n`), []);
    assert.deepEqual(reported(`1,5" ${'x'.repeat(100_000)}\n`), []);
  });

  it('may be in the header', () => {
    const { head } = read(`\ufeffa,"b\n${lines(120)}"\n1,2\n`);
    assert.deepEqual(longFieldOfHeader(head), { line: 1, row: 0, bytes: 240, lines: 121 });
    assert.equal(longFieldOfHeader(read('a,"b\n"\n').head), undefined);
  });
});
