import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openRegular, readRegular } from '../../../src/storage/local/read-files.ts';
import { makeFifo } from '../../support/fifo.ts';
import { newFolder } from '../../support/folder.ts';

test('a file is read, unless it is too large; a folder, a FIFO or a device has no bytes', async t => {
  const folder = await newFolder(t);
  const file = join(folder, 'file');
  await writeFile(file, 'bytes');
  assert.equal(String(await readRegular(file)), 'bytes');
  assert.equal((await readRegular(file, 4)).length, 0);
  const fifo = await makeFifo(join(folder, 'fifo'));
  for (const path of [folder, fifo, '/dev/zero']) {
    assert.equal((await readRegular(path)).length, 0, path);
    assert.equal(await openRegular(path), undefined, path);
  }
  await assert.rejects(readRegular(join(folder, 'none')), { code: 'ENOENT' });
});
