import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../support/root.ts';

describe('the bundle of the command', () => {
  const files = readdirSync(join(root, 'dist/src/bundle'));

  it('has chunks named after what is in them, not numbered', () => {
    const numbered = files.filter(file => /\d\.js$/.test(file));
    assert.deepEqual(numbered, []);
    for (const file of ['rowcast.js', 'tables.js', 'cli-commands-score.js', 'scoring-http-encode.js'])
      assert.ok(files.includes(file), file);
  });
});
