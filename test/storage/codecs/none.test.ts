import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { none } from '../../../src/storage/codecs/none.ts';
import { diskFiles } from '../../../src/storage/durable-files.ts';
import { privateAccess } from '../../../src/storage/local/access.ts';
import { fileStart } from '../../../src/storage/partial-file.ts';
import { newFolder } from '../../support/folder.ts';
import { MemoryFiles } from '../../support/memory-files.ts';

const bytes = Buffer.from([0, 0x1f, 0x8b, 0xff, 0x0a]);
const part = (text: string, mark?: string) => ({
  bytes: Buffer.from(text),
  endsMember: false,
  mark: mark === undefined ? undefined : () => mark,
});

describe('a file without compression', () => {
  it('has the bytes of its content, whatever they are', async () => {
    const chunks = (async function* () {
      yield bytes.subarray(0, 2);
      yield bytes.subarray(2);
    })();
    assert.deepEqual(await buffer(none.decompress(chunks, 'in.csv')), bytes);
    assert.deepEqual(none.compressNow(bytes), bytes);
  });

  it('is written at once, and committed up to the last mark', async t => {
    const path = join(await newFolder(t), 'out.csv.partial');
    const partial = none.partialFile<string>(await diskFiles.open(path, privateAccess), fileStart);
    await partial.append(part('a\n', 'one'));
    await partial.append(part('', 'two'));
    await partial.append(part('b\n'));
    assert.equal(await readFile(path, 'utf8'), 'a\nb\n');
    const { bytes: size, uncompressed, mark } = partial.committed;
    assert.deepEqual([size, uncompressed, mark], [2, 2, 'two']);
    await partial.sync();
    await partial.close();
  });

  it('is not committed beyond a write that failed', async () => {
    const files = new MemoryFiles();
    const partial = none.partialFile<string>(await files.open('/out.csv.partial'), fileStart);
    await partial.append(part('a', 'one'));
    files.failing = 'write';
    await assert.rejects(partial.append(part('b', 'two')), { code: 'EIO' });
    assert.equal(partial.committed.mark, 'one');
  });
});
