import assert from 'node:assert/strict';
import { rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { diskFiles, type Files } from '../../../src/storage/durable-files.ts';
import { verifyCommitted } from '../../../src/storage/local/verify-committed.ts';
import { newFolder } from '../../support/folder.ts';

const BYTES = 1000;

/** Checks a file that another program changes just before its bytes are read. */
async function checkAfter(t: TestContext, change: (path: string) => Promise<void>): Promise<void> {
  const path = join(await newFolder(t), 'out.csv.partial');
  await writeFile(path, 'x'.repeat(BYTES));
  const files: Files = {
    ...diskFiles,
    async readAt(...place) {
      await change(path);
      return diskFiles.readAt(...place);
    },
  };
  await verifyCommitted(files, path, { bytes: BYTES, tail: 'that of other bytes' });
}

it('a file that is removed while it is checked is gone, and not damaged', async t => {
  await assert.rejects(
    checkAfter(t, path => rm(path)),
    { code: 'partial_too_short', message: /the file is gone; 1,000 bytes had been written to it/ },
  );
});

it('a file that is shortened while it is checked is too short', async t => {
  await assert.rejects(
    checkAfter(t, path => truncate(path, 10)),
    { code: 'partial_too_short', message: /the file has 10 of the 1,000 bytes/ },
  );
});

it('a file with other bytes is damaged', async t => {
  await assert.rejects(
    checkAfter(t, async () => {}),
    { code: 'partial_damaged' },
  );
});
