import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { diskFiles, type Files } from '../../../src/storage/durable-files.ts';
import { storedChunks, verifyCommitted } from '../../../src/storage/local/verify-committed.ts';
import { newFolder } from '../../support/folder.ts';

const BYTES = 1000;

for (const [what, change, error] of [
  [
    'is removed is gone, and not damaged',
    rm,
    { code: 'partial_too_short', message: /the file is gone; 1,000 bytes had been written to it/ },
  ],
  [
    'is shortened is too short',
    (path: string) => truncate(path, 10),
    { code: 'partial_too_short', message: /the file has 10 of the 1,000 bytes/ },
  ],
  ['has other bytes is damaged', async () => {}, { code: 'partial_damaged' }],
] as const)
  it(`a file that ${what}, if it happens just before its bytes are read`, async t => {
    const path = join(await newFolder(t), 'out.csv.partial');
    await writeFile(path, 'x'.repeat(BYTES));
    const files: Files = {
      ...diskFiles,
      async readAt(...place) {
        await change(path);
        return diskFiles.readAt(...place);
      },
    };
    const other = { bytes: BYTES, tail: 'that of other bytes' };
    await assert.rejects(verifyCommitted(files, path, other), error);
  });

const text = 'header\n1,a\n2,b\n';
const written = { bytes: text.length, tail: createHash('sha256').update(text).digest('hex') };

/** The part of a shard whose file is now `content`. */
async function partOf(t: TestContext, content: string): Promise<string> {
  const path = join(await newFolder(t), 'part');
  await writeFile(path, content);
  return path;
}

describe('a part that is joined', () => {
  it('is copied up to the bytes that its worker has written, with or without its header', async t => {
    const path = await partOf(t, `${text}after`);
    assert.equal(String(await buffer(storedChunks(diskFiles, path, written))), text);
    assert.equal(String(await buffer(storedChunks(diskFiles, path, written, 7))), '1,a\n2,b\n');
  });

  it('is reported if it has become shorter, has other bytes or is gone', async t => {
    const isLost = { code: 'part_lost', severity: 'stopped' };
    for (const content of [text.slice(0, -1), `${text.slice(0, -1)}X`]) {
      const path = await partOf(t, content);
      await assert.rejects(buffer(storedChunks(diskFiles, path, written)), {
        ...isLost,
        location: { file: path },
      });
    }
    await assert.rejects(buffer(storedChunks(diskFiles, '/nowhere/part', written)), isLost);
  });
});
