import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../support/root.ts';

describe('the bundle of the command', () => {
  const folder = join(root, 'dist/src/bundle');
  const files = readdirSync(folder);

  it('has chunks named after what is in them, not numbered', () => {
    const numbered = files.filter(file => /[^s]\d\.js$/.test(file));
    assert.deepEqual(numbered, []);
    for (const file of ['rowcast.js', 'tables.js', 'cli-commands-work.js', 'score-run.js'])
      assert.ok(files.includes(file), file);
  });

  it('may be run by whoever may read it', () => {
    const { mode } = statSync(join(folder, 'rowcast.js'));
    assert.equal(mode & 0o111, (mode & 0o444) >> 2);
  });

  it('gives scoring threads a file of their own, which loads nothing else', async () => {
    const text = await readFile(join(folder, 'scoring-worker.js'), 'utf8');
    const imported = [...text.matchAll(/(?:from |import\()"([^"]+)"/g)].map(([, name]) => name);
    assert.deepEqual(new Set(imported), new Set(['node:worker_threads', 'node:buffer']));
  });
});
