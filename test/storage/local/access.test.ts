import assert from 'node:assert/strict';
import { chmod, chown, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { diskFiles } from '../../../src/storage/durable-files.ts';
import { fileAccessOf } from '../../../src/storage/local/access.ts';
import { replaceFile, replaceFileNow } from '../../../src/storage/local/atomic-write.ts';
import { newFolder } from '../../support/folder.ts';

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

describe('a file that is written', () => {
  let umask: number;
  before(() => {
    umask = process.umask(0o027);
  });
  after(() => process.umask(umask));

  /** Replaces a file in both ways, with the same result. */
  async function replace(path: string, isPrivate: boolean): Promise<void> {
    const next = `${path}.new`;
    const copy = `${path}.copy`;
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined) {
      await writeFile(copy, '');
      await chmod(copy, found.mode & 0o777);
      if (isRoot) await chown(copy, found.uid, found.gid);
    }
    await replaceFile(diskFiles, path, Buffer.from('new'), { next, access: fileAccessOf(path, isPrivate) });
    replaceFileNow(copy, Buffer.from('new'), { next, access: fileAccessOf(copy, isPrivate) });
    const [first, second] = [await stat(path), await stat(copy)];
    assert.deepEqual([second.mode, second.uid, second.gid], [first.mode, first.uid, first.gid]);
  }

  it('is readable for whom the umask allows, if it is new', async t => {
    const path = join(await newFolder(t), 'out.csv');
    await replace(path, false);
    assert.equal(await modeOf(path), 0o640);
  });

  it('keeps the mode of the file that it replaces, even if the umask is stricter', async t => {
    const path = join(await newFolder(t), 'out.csv');
    for (const mode of [0o664, 0o604, 0o400]) {
      await writeFile(path, '');
      await chmod(path, mode);
      await replace(path, false);
      assert.equal(await modeOf(path), mode);
      await chmod(path, 0o600);
    }
  });

  it('is readable for its owner only, if it is private', async t => {
    const path = join(await newFolder(t), 'out.csv');
    await replace(path, true);
    assert.equal(await modeOf(path), 0o600);
    await chmod(path, 0o664);
    await replace(path, true);
    assert.equal(await modeOf(path), 0o600);
  });

  it('keeps the owner of the file that it replaces', { skip: !isRoot }, async t => {
    const path = join(await newFolder(t), 'out.csv');
    await writeFile(path, '');
    await chown(path, NOBODY, NOBODY);
    await chmod(path, 0o640);
    await replace(path, false);
    const { uid, gid } = await stat(path);
    assert.deepEqual([uid, gid, await modeOf(path)], [NOBODY, NOBODY, 0o640]);
  });

  it('grants another group nothing, if it cannot have the group of the file that it replaces', {
    skip: !isRoot,
  }, async t => {
    const folder = await newFolder(t);
    const path = join(folder, 'out.csv');
    await writeFile(path, '');
    await chmod(path, 0o664);
    await chown(folder, NOBODY, NOBODY);
    process.setegid?.(NOBODY);
    process.seteuid?.(NOBODY);
    try {
      const access = fileAccessOf(path, false);
      await replaceFile(diskFiles, path, Buffer.from('new'), { next: `${path}.new`, access });
    } finally {
      process.seteuid?.(0);
      process.setegid?.(0);
    }
    const { uid } = await stat(path);
    assert.deepEqual([uid, await modeOf(path)], [NOBODY, 0o644]);
  });
});
