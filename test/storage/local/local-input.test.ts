import assert from 'node:assert/strict';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileBytes } from '../../../src/storage/local/local-input.ts';
import { newFolder } from '../../support/folder.ts';

const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, i) => (i * i) % 251));

async function allOf(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const copies: Buffer[] = [];
  for await (const chunk of chunks) copies.push(Buffer.from(chunk));
  return Buffer.concat(copies);
}

describe('the bytes of a file', () => {
  it('are all of them from an offset on, in chunks that share one buffer', async t => {
    const path = join(await newFolder(t), 'file');
    await writeFile(path, bytes);
    for (const start of [0, 1, 262_144, 699_999, 700_000, 800_000])
      assert.deepEqual(await allOf(fileBytes(open(path), { start })), bytes.subarray(start));
    const buffers = new Set<ArrayBufferLike>();
    for await (const { buffer } of fileBytes(open(path))) buffers.add(buffer);
    assert.equal(buffers.size, 1);
  });

  it('cannot be read if the file cannot be opened', async () => {
    await assert.rejects(allOf(fileBytes(open('/no/such/file'))), { code: 'ENOENT' });
  });

  it('leave no file open, read to the end or destroyed before, while or without being read', async t => {
    const path = join(await newFolder(t), 'file');
    await writeFile(path, bytes);
    const closed = (handle: { fd: number }) => assert.equal(handle.fd, -1);
    const handles = await Promise.all(Array.from({ length: 3 }, () => open(path)));
    const [read, left, unread] = handles.map(handle => fileBytes(Promise.resolve(handle)));
    assert.ok(read && left && unread);
    await allOf(read);
    for await (const _ of left) break;
    unread.destroy();
    await new Promise(setImmediate);
    handles.forEach(closed);
  });

  it('cannot be read any more once they are destroyed', async t => {
    const path = join(await newFolder(t), 'file');
    await writeFile(path, bytes);
    const source = fileBytes(open(path));
    const chunks = source[Symbol.asyncIterator]();
    await chunks.next();
    source.destroy();
    await assert.rejects(chunks.next(), /closed before its end/);
  });
});
