import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readTable, type TableOptions } from '../../src/formats/read-table.ts';

const readText = (text: string, options: Partial<TableOptions> = {}) =>
  readTable(Buffer.from(text), { file: 'history.csv', ...options });

describe('a table', () => {
  it('has the header and every row, without blank lines', async () => {
    assert.deepEqual(await readText('\ufeffa,b\r\n"1\n",2\r\n\r\n3,\n'), {
      header: ['a', 'b'],
      rows: [
        ['1\n', '2'],
        ['3', ''],
      ],
    });
  });

  it('has all rows of a file of several batches, in order', async () => {
    const rows = Array.from({ length: 25_000 }, (_, row) => [String(row), row % 7 === 0 ? 'x,y' : 'z']);
    const text = rows.map(([id, value]) => `${id},${value === 'z' ? 'z' : `"${value}"`}\n`).join('');
    assert.deepEqual((await readText(`a,b\n${text}`)).rows, rows);
  });

  it('is refused for the first malformed record, which is named', async () => {
    for (const [text, code, place] of [
      ['a,b\n1,2\n\n"3\n",4,5\n6\n', 'too_many_fields', { line: 4, row: 2 }], // a quoted one before another
      ['a,b\n"1"x,2\n3\n', 'bad_quoting', { line: 2, row: 1 }],
      ['a,b\r1,"\r"\r3\r', 'too_few_fields', { line: 4, row: 2 }],
      ['a,b\n1,"2\n', 'unclosed_quote', { line: 2, row: 1 }],
    ] as const)
      await assert.rejects(readText(text), { code, location: { file: 'history.csv', ...place } }, text);
  });

  it('may have only a header, and is refused if empty', async () => {
    assert.deepEqual(await readText('a;b', { delimiter: ';' }), { header: ['a', 'b'], rows: [] });
    await assert.rejects(readText(''), { code: 'empty_input' });
  });
});
