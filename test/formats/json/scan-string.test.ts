import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { StringScanner } from '../../../src/formats/json/scan-string.ts';
import { character } from '../../support/random-tests.ts';

describe('the scanner of JSON strings', () => {
  const strings = new StringScanner();

  it('finds the end of every string that JSON.stringify writes, and reports what it contains', () => {
    fc.assert(
      fc.property(fc.string({ unit: character }), fc.string(), (text, after) => {
        const string = Buffer.from(JSON.stringify(text));
        const content = strings.scan(Buffer.concat([Buffer.from('['), string, Buffer.from(after)]), 1);
        assert.equal(strings.end, 1 + string.length);
        const isAscii = string.every(byte => byte < 0x80);
        const plain = isAscii ? 'ascii' : 'utf8';
        assert.equal(content, string.includes('\\') ? 'escapes' : plain);
      }),
    );
  });

  it('rejects a string that is unterminated or has a control character', () => {
    for (const text of ['"', '"a', '"a\\"', '"a\\', '"a\nb"', '"\0"'])
      assert.equal(strings.scan(Buffer.from(text), 0), undefined, JSON.stringify(text));
  });
});
