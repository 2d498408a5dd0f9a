import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { root } from '../support/root.ts';
import { blocksOf, folderOfReader, replay } from './terminal-session.ts';

it('the sessions of the page about many files print what it says, except for times and rates', {
  timeout: 300_000,
}, async t => {
  const blocks = blocksOf('many-files.md');
  assert.ok(blocks.filter(({ language }) => language === 'console').length >= 3);
  await replay(blocks, await folderOfReader(t));
});

it('the sessions of the page about evaluations print what it says', { timeout: 300_000 }, async t => {
  const blocks = blocksOf('evaluate.md');
  assert.equal(blocks.filter(({ language }) => language === 'console').length, 1);
  const folder = await folderOfReader(t);
  await cp(join(root, 'fixtures/telecom-history.csv'), join(folder, 'fixtures/telecom-history.csv'));
  await replay(blocks, folder);
});

it('the sessions of the page about imported models print what it says', { timeout: 300_000 }, async t => {
  const blocks = blocksOf('imported-models.md');
  assert.equal(blocks.filter(({ language }) => language === 'console').length, 2);
  const folder = await folderOfReader(t);
  await cp(join(root, 'fixtures/models'), join(folder, 'fixtures/models'), { recursive: true });
  await replay(blocks, folder);
});
