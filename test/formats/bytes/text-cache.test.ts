import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { TextCache } from '../../../src/formats/bytes/text-cache.ts';

describe('a cache of texts', () => {
  it('gives the text of any bytes', () => {
    const cache = new TextCache();
    const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 80 }), fc.constantFrom('', 'a', 'b', 'é'));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 100 }), texts => {
        for (const own of texts) {
          const bytes = Buffer.from(`<${own}>`);
          assert.equal(cache.textOf(bytes, 1, bytes.length - 1), own);
        }
      }),
    );
  });
});
