import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { numberOf } from '../../../src/formats/values/coerce.ts';

test('numbers are read as people write them', () => {
  for (const text of ['0', '-0', '+5', '1.', '.5', '-1.5e-3', '1E9', ' 12 ', '007'])
    assert.equal(numberOf(text), Number(text), text);
  for (const text of ['', ...'. 1.2.3 1e e1 0x10 1_000 1,5 NaN Infinity 1e999 --1'.split(' ')])
    assert.equal(numberOf(text), null, text);
});

test('a million digits that are not a number are rejected quickly', () => {
  const texts = [`${'1'.repeat(1_000_000)}x`, `1.${'1'.repeat(1_000_000)}x`, `1e${'1'.repeat(1_000_000)}x`];
  // In a script with a timeout: generous for a slow machine, far below the hours of a quadratic search.
  for (const text of texts)
    assert.equal(runInNewContext('numberOf(text)', { numberOf, text }, { timeout: 20_000 }), null);
});
