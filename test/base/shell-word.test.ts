import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shellWord } from '../../src/base/shell-word.ts';

describe('a word of a shell', () => {
  it('is quoted if it has to be', () => {
    assert.deepEqual(['a/b.csv', 'a b', "it's"].map(shellWord), ['a/b.csv', "'a b'", "'it'\\''s'"]);
  });

  it('has escapes for control characters, which a terminal would interpret', () => {
    assert.deepEqual(['\u0001', "a\nb'\\"].map(shellWord), [
      '"$(printf \'\\001\')"',
      `"$(printf 'a\\012b'\\''\\\\')"`,
    ]);
  });
});
