import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blocksOf, folderOfReader, replay } from './terminal-session.ts';

describe('the worked examples', () => {
  it('print what their page says, except for times and rates', { timeout: 300_000 }, async t => {
    const blocks = blocksOf('worked-examples.md');
    assert.ok(blocks.length >= 5);
    await replay(blocks, await folderOfReader(t));
  });
});

describe('a folder of 200 files with three bad ones', () => {
  it('is scored, reported and corrected as the page about many files says', { timeout: 300_000 }, async t => {
    const blocks = blocksOf('many-files.md');
    assert.ok(blocks.filter(({ language }) => language === 'console').length >= 3);
    await replay(blocks, await folderOfReader(t));
  });
});
