import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { none } from '../../../src/storage/codecs/none.ts';
import { diskFiles } from '../../../src/storage/durable-files.ts';
import { privateAccess } from '../../../src/storage/local/access.ts';
import { fileStart } from '../../../src/storage/partial-file.ts';
import { newFolder } from '../../support/folder.ts';
import { MemoryFiles } from '../../support/memory-files.ts';

const part = (text: string, mark?: string) => ({
  bytes: Buffer.from(text),
  endsMember: false,
  mark: mark === undefined ? undefined : () => mark,
});

describe('a file without compression', () => {
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
