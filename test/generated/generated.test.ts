import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../support/root.ts';
import { generated } from './generated.ts';

describe('what is made from the option table (npm run generate makes it again)', () => {
  for (const [path, text] of generated())
    it(`${path} is as the table says`, () => {
      assert.equal(readFileSync(join(root, path), 'utf8'), text);
    });
});
