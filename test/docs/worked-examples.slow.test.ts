import assert from 'node:assert/strict';
import { it } from 'node:test';
import { blocksOf, folderOfReader, replay } from './terminal-session.ts';

it('the sessions of the page about many files print what it says, except for times and rates', {
  timeout: 300_000,
}, async t => {
  const blocks = blocksOf('many-files.md');
  assert.ok(blocks.filter(({ language }) => language === 'console').length >= 3);
  await replay(blocks, await folderOfReader(t));
});
