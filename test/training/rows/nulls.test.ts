import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { readHistory } from '../../../src/training/rows/read-history.ts';
import { newFolder } from '../../support/folder.ts';

test('chosen texts are missing values, of features and of labels', async t => {
  const historyFile = join(await newFolder(t), 'history.csv');
  await writeFile(historyFile, 'x,z,y\n-1,p,a\n2,n.v.,b\n3,p,-1\n');
  const nulls = ['-1', 'n.v.'];
  const { rows, notes } = await readHistory({
    historyFile,
    predict: 'y',
    seed: 1,
    maxRecordBytes: 1 << 20,
    nulls,
  });
  assert.deepEqual(rows, [
    ['', 'p', 'a'],
    ['2', '', 'b'],
  ]);
  assert.deepEqual(notes, ['Left out 1 row with an empty "y".']);
});
