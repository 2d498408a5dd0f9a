import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { compiledModule, target } from '../../build/compile-assembly.ts';

describe('the WebAssembly that scores blocks of rows', () => {
  it('is what its source compiles to (npm run assembly updates it)', async () => {
    assert.ok((await readFile(target)).equals(await compiledModule()));
  });
});
