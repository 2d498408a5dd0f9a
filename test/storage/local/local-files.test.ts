import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fixedFolderOf } from '../../../src/storage/folders.ts';
import { filesMatching, isLocalPattern } from '../../../src/storage/local/local-files.ts';
import { newFolder } from '../../support/folder.ts';

async function folderWith(t: TestContext, ...names: string[]): Promise<string> {
  const folder = await newFolder(t);
  for (const name of names) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), '');
  }
  return folder;
}

describe('a pattern of inputs', () => {
  it('matches files in folders of any depth, sorted, without hidden files and folders', async t => {
    const folder = await folderWith(
      t,
      'b.csv',
      'eu/a.csv',
      'eu/deep/c.csv',
      '.hidden.csv',
      'a.txt',
      'x.csv/y',
    );
    const found = await filesMatching(join(folder, '**/*.csv'));
    assert.deepEqual(
      found.map(path => relative(folder, path)),
      ['b.csv', 'eu/a.csv', 'eu/deep/c.csv'],
    );
    assert.ok(found.every(isAbsolute), 'as the pattern is');
  });

  it('matches the files of a folder once, although links lead to it on several ways', async t => {
    const folder = await folderWith(t, 'in/a.csv', 'in/eu/b.csv');
    await symlink('..', join(folder, 'in/up'));
    await symlink('eu', join(folder, 'in/europe'));
    const found = await filesMatching(join(folder, 'in/**/*.csv'));
    assert.deepEqual(
      found.map(path => relative(folder, path)),
      ['in/a.csv', 'in/eu/b.csv'],
    );
  });

  it('matches a link to a file, also if it matches that file too', async t => {
    const folder = await folderWith(t, 'in/a.csv');
    await symlink('a.csv', join(folder, 'in/latest.csv'));
    const found = await filesMatching(join(folder, 'in/*.csv'));
    assert.deepEqual(
      found.map(path => relative(folder, path)),
      ['in/a.csv', 'in/latest.csv'],
    );
  });

  it('matches a link to nothing and one to itself, so that they are reported', async t => {
    const folder = await folderWith(t, 'in/a.csv');
    await symlink('gone.csv', join(folder, 'in/b.csv'));
    await symlink('c.csv', join(folder, 'in/c.csv'));
    await symlink('gone', join(folder, 'in/other'));
    const found = await filesMatching(join(folder, 'in/**/*.csv'));
    assert.deepEqual(
      found.map(path => relative(folder, path)),
      ['in/a.csv', 'in/b.csv', 'in/c.csv'],
    );
  });

  it('is not the name of a file that exists, nor one without special characters', async t => {
    const folder = await folderWith(t, 'sales [1].csv');
    assert.equal(await isLocalPattern(join(folder, 'sales [1].csv')), false);
    assert.equal(await isLocalPattern(join(folder, 'sales [2].csv')), true);
    for (const name of ['-', 'a.csv', 'a (1).csv']) assert.equal(await isLocalPattern(name), false, name);
  });

  it('has a fixed folder', () => {
    const folders = { 'in/**/*.csv': 'in', 'a/b/{c,d}/*.csv': 'a/b', '*.csv': '.', '/x/*.csv': '/x' };
    for (const [pattern, folder] of Object.entries(folders)) assert.equal(fixedFolderOf(pattern), folder);
  });
});
