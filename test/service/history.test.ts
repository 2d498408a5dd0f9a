import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { RowcastError } from '../../src/errors.ts';
import { mostRows, readHistory } from '../../src/service/history.ts';
import { newFolder } from '../folder.ts';

async function read(t: TestContext, text: string, predict = 'y', maxRecordBytes = 1 << 20) {
  const historyFile = join(await newFolder(t), 'history.csv');
  await writeFile(historyFile, text);
  return readHistory({ historyFile, predict, seed: 1, maxRecordBytes });
}

test('rows with an empty label are left out, and counted', async t => {
  const { rows, column, notes } = await read(t, 'x,y\n1,a\n2,\n\n3," "\n4,b\n');
  assert.deepEqual(rows, [
    ['1', 'a'],
    ['4', 'b'],
  ]);
  assert.equal(column, 1);
  assert.deepEqual(notes, ['Left out 2 rows with an empty "y".']);
});

test('records are as long as they may be', async t => {
  const long = 'x'.repeat(2 << 20);
  const { header, rows } = await read(t, `${long},y\n${long},a\n`, 'y', 3 << 20);
  assert.deepEqual([header[0], rows], [long, [[long, 'a']]]);
});

test('fields come as they are: quoted, over several lines, and in any script', async t => {
  const { header, rows, notes } = await read(t, '\uFEFFy,"größe, m"\r\nja,"a ""b""\r\nc"\r\nはい,—');
  assert.deepEqual(header, ['y', 'größe, m']);
  assert.deepEqual(rows, [
    ['ja', 'a "b"\r\nc'],
    ['はい', '—'],
  ]);
  assert.deepEqual(notes, []);
});

test('of more rows than are learned from, a sample is taken in which each class has its share', async t => {
  const lines = Array.from({ length: 150_000 }, (_, i) => `${i},${i % 50 === 0 ? 'rare' : 'frequent'}\n`);
  const text = `x,y\n${lines.join('')}`;
  const { rows, notes } = await read(t, text);
  assert.equal(rows.length, mostRows);
  assert.equal(rows.filter(([, label]) => label === 'rare').length, mostRows / 50);
  assert.deepEqual(notes, [
    'Learned from a sample of 100,000 of the 150,000 labelled rows, in which each class has its share.',
  ]);
  assert.deepEqual((await read(t, text)).rows, rows);
});

test('amounts are refused before the file is read to its end', async t => {
  const lines = Array.from({ length: 200_000 }, (_, i) => `${i},${i}\n`);
  // A malformed record at the end is not reached.
  await assert.rejects(read(t, `x,y\n${lines.join('')}1,2,3\n`), { code: 'too_many_classes' });
});

for (const { what, text, code, line } of [
  { what: 'a row with a field too many', text: 'x,y\n1,a\n1,2,3\n', code: 'too_many_fields', line: 3 },
  { what: 'a quote that is not closed', text: 'x,y\n1,a\n"2,b\n', code: 'unclosed_quote', line: 3 },
])
  test(`${what} is refused with its line`, async t => {
    await assert.rejects(read(t, text), (error: RowcastError) => {
      assert.equal(error.code, code);
      assert.equal(error.consequence, 'refused');
      assert.equal(error.place.line, line);
      return true;
    });
  });
