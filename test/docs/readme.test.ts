import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { root } from '../support/root.ts';

// every-command.slow.test.ts runs its commands.
it('the README has fewer than 150 lines, of at most 120 characters', () => {
  const lines = readFileSync(join(root, 'README.md'), 'utf8').split('\n');
  assert.ok(lines.length < 150, `${lines.length} lines`);
  assert.deepEqual(
    lines.filter(line => line.length > 120),
    [],
  );
});
