import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { generated } from '../build/generated/generated.ts';
import { root } from './support/root.ts';

describe('generated files', () => {
  for (const [path, text] of generated())
    it(`${path} is up to date (npm run generate updates it)`, () => {
      assert.equal(readFileSync(join(root, path), 'utf8'), text);
    });
});
