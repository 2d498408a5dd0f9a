import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './support/root.ts';
import { isAlone } from './support/shared-processes.ts';

/** Hooks at the top level would be those of all files in the process; mock timers would stop those of other tests. */
const ofTheWholeProcess =
  /^(before|after|beforeEach|afterEach)\(|\bmock\.timers\b|syncBuiltinESMExports|process\.(chdir|memoryUsage)\b/m;

test('a test file that changes or measures its process has one of its own', () => {
  const folder = join(root, 'test');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    file => file.endsWith('.test.ts') && !isAlone(file) && file !== 'shared-processes.test.ts',
  );
  assert.ok(files.length > 200);
  const wrong = files.filter(file => ofTheWholeProcess.test(readFileSync(join(folder, file), 'utf8')));
  assert.deepEqual(wrong, [], 'name it *.alone.test.ts, or put its hooks into a describe');
});
