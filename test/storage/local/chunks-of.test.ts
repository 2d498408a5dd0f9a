import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { diskFiles } from '../../../src/storage/durable-files.ts';
import { chunksOf } from '../../../src/storage/local/verify-committed.ts';
import { newFolder } from '../../support/folder.ts';

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
    assert.equal(String(await buffer(chunksOf(diskFiles, path, written))), text);
    assert.equal(String(await buffer(chunksOf(diskFiles, path, written, 7))), '1,a\n2,b\n');
  });

  it('is reported if it has become shorter, has other bytes or is gone', async t => {
    const isLost = { code: 'part_lost', severity: 'stopped' };
    for (const content of [text.slice(0, -1), `${text.slice(0, -1)}X`]) {
      const path = await partOf(t, content);
      await assert.rejects(buffer(chunksOf(diskFiles, path, written)), {
        ...isLost,
        location: { file: path },
      });
    }
    await assert.rejects(buffer(chunksOf(diskFiles, '/nowhere/part', written)), isLost);
  });
});
