import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openSource, resolveTarget } from '../../src/storage/backends.ts';
import { newFolder } from '../support/folder.ts';

describe('the storage of a name', () => {
  it('is refused if nothing supports its scheme, instead of being taken for a path', async () => {
    for (const name of ['ftp://host/in.csv', 'FILE:///tmp/in.csv', 'stdio://in.csv']) {
      await assert.rejects(openSource(name), { code: 'usage', message: /:\/\/ is not supported$/ });
      await assert.rejects(resolveTarget(name), { code: 'usage' });
    }
  });

  it('is the file system for a path, even one with a colon', async t => {
    const path = join(await newFolder(t), 'a:b.csv');
    await writeFile(path, 'x\n1\n');
    const source = await openSource(path);
    assert.equal(source.version.size, 4);
    source.close();
    assert.equal((await resolveTarget(path)).path, path);
  });
});
