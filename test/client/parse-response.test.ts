import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseResponse } from '../../src/client/parse-response.ts';

const parsed = (text: string): unknown => parseResponse(Buffer.from(text));

describe('the parser of responses', () => {
  it('takes the bare tokens that Python writes for values that no prediction has', () => {
    assert.deepEqual(parsed('{"a":NaN,"b":[Infinity,-Infinity,1.5]}'), {
      a: null,
      b: [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1.5],
    });
    assert.deepEqual(parsed('[NaN]'), [null]);
  });

  it('leaves such words in strings alone, whatever else is in them', () => {
    const names = ['NaN', '-Infinity', 'a "NaN"', 'NaN\\', '\\"NaN', 'é Infinity 😀'];
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...names), fc.string())), texts => {
        const body = `{"predictions":${JSON.stringify(texts)},"more":NaN}`;
        assert.deepEqual(parsed(body), { predictions: texts, more: null });
      }),
    );
  });

  it('refuses everything else that is no JSON', () => {
    for (const text of [
      '',
      'NaNa',
      '[1NaN]',
      '[1Infinity]',
      '[Infinity1]',
      '[nan]',
      '+Infinity',
      '["NaN]',
      '[Infinity',
    ])
      assert.throws(() => parsed(text), /the response is not JSON/, text);
  });

  it('reads a long string with such a word next to it', () => {
    const text = `${'\\n"'.repeat(100_000)}NaN`;
    assert.deepEqual(parsed(`[${JSON.stringify(text)},NaN]`), [text, null]);
  });
});
