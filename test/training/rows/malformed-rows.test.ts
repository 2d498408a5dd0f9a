import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readRejectLimit } from '../../../src/base/options/values/reject-limit.ts';
import { readHistory } from '../../../src/training/rows/read-history.ts';
import { newFolder } from '../../support/folder.ts';

async function read(t: TestContext, text: string, maxRejects: string) {
  const historyFile = join(await newFolder(t), 'history.csv');
  await writeFile(historyFile, text);
  const limit = readRejectLimit(maxRejects);
  return readHistory({ historyFile, predict: 'y', seed: 1, maxRecordBytes: 1 << 20, maxRejects: limit });
}

test('malformed rows are left out up to the limit, and a note counts them', async t => {
  const { rows, notes } = await read(t, 'x,y\n1,a\n1,2,3\n\n2\n3,b\n', '2');
  assert.deepEqual(rows, [
    ['1', 'a'],
    ['3', 'b'],
  ]);
  assert.deepEqual(notes, ['Left out 2 malformed rows: 1 × too_many_fields, 1 × too_few_fields.']);
});

test('one more malformed row is refused, with what is wrong with them', async t => {
  await assert.rejects(read(t, 'x,y\n1,a\n1,2,3\n2\n3,b\n', '1'), {
    code: 'too_many_rejects',
    severity: 'refused',
    message: '2 of 3 rows are malformed: 1 × too_many_fields, 1 × too_few_fields',
    hint: /--max-rejects/,
  });
});

test('a percentage of few rows applies at their end', async t => {
  const good = '1,a\n'.repeat(60);
  assert.equal((await read(t, `x,y\n9\n${good}`, '2%')).rows.length, 60);
  await assert.rejects(read(t, `x,y\n9\n${good}`, '1%'), {
    code: 'too_many_rejects',
    message: '1 of 61 rows are malformed: 1 × too_few_fields',
  });
});
