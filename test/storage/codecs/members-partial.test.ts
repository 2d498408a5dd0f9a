import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { gzip } from '../../../src/storage/codecs/gzip.ts';
import { fileStart } from '../../../src/storage/partial-file.ts';
import { MemoryFiles } from '../../support/memory-files.ts';

const path = '/out.csv.gz.partial';

async function open() {
  const files = new MemoryFiles();
  return { files, partial: gzip.partialFile<string>(await files.open(path), fileStart) };
}

const part = (text: string, mark?: string, endsMember = mark !== undefined) => ({
  bytes: Buffer.from(text),
  endsMember,
  mark: mark === undefined ? undefined : () => mark,
});

describe('a partial gzip file', () => {
  it('has a member for each end of one, and is committed up to the last mark that is written', async () => {
    const { files, partial } = await open();
    await partial.append(part('a'));
    await partial.append(part('b', 'one'));
    await partial.append(part('c', 'two'));
    await partial.append(part('d'));
    await partial.flush();
    const { bytes, uncompressed, mark } = partial.committed;
    assert.deepEqual([uncompressed, mark], [3, 'two']);
    const content = files.content.get(path) ?? Buffer.alloc(0);
    assert.equal(bytes, content.length);
    assert.equal(gunzipSync(content).toString(), 'abc');
  });

  it('moves its mark without an empty member where only rejects were written', async () => {
    const { files, partial } = await open();
    await partial.append(part('a', 'one'));
    await partial.append(part('', 'two', true));
    await partial.flush();
    const { bytes, mark } = partial.committed;
    assert.deepEqual([mark, bytes], ['two', files.content.get(path)?.length]);
    assert.equal(files.done.filter(text => text.startsWith('write')).length, 1);
  });

  it('has a point within a member, with its text up to the last mark, unless that is too long', async () => {
    const { partial } = await open();
    await partial.append(part('a', 'one'));
    await partial.append(part('b', 'two', false));
    await partial.append(part('c', 'three', false));
    await partial.append(part('d'));
    await partial.flush();
    const { open: text, mark, uncompressed } = partial.latest();
    assert.deepEqual([text?.toString(), mark, uncompressed], ['bc', 'three', 3]);
    assert.equal(partial.latest(1).mark, 'one');
    // What a point has stays as it is while further members are written.
    await partial.append(part('e', 'four'));
    await partial.append(part('fgh', 'five', false));
    await partial.flush();
    assert.equal(text?.toString(), 'bc');
    assert.equal(partial.latest().open?.toString(), 'fgh');
  });

  it('is not committed beyond a write that failed', async () => {
    const { files, partial } = await open();
    await partial.append(part('a', 'one'));
    await partial.flush();
    files.failing = 'write';
    await partial.append(part('b', 'two'));
    await partial.append(part('c', 'three', false));
    await assert.rejects(partial.flush(), { code: 'EIO' });
    assert.equal(partial.committed.mark, 'one');
    assert.equal(partial.latest().mark, 'one');
  });
});
