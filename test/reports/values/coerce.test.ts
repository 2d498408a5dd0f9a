import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { numberOf } from '../../../src/reports/values/coerce.ts';

test('a number is what people write as one', () => {
  for (const text of ['0', '-0', '+5', '1.', '.5', '-1.5e-3', '1E9', ' 12 ', '007'])
    assert.equal(numberOf(text), Number(text), text);
  for (const text of [
    '',
    '.',
    '1.2.3',
    '1e',
    'e1',
    '0x10',
    '1_000',
    '1,5',
    'NaN',
    'Infinity',
    '1e999',
    '--1',
  ])
    assert.equal(numberOf(text), null, text);
});

test('a million digits that are no number after all keep nobody waiting', () => {
  const texts = [`${'1'.repeat(1_000_000)}x`, `1.${'1'.repeat(1_000_000)}x`, `1e${'1'.repeat(1_000_000)}x`];
  // As a script, whose time can be bounded: by milliseconds that a slow machine has, and hours would not be.
  for (const text of texts)
    assert.equal(runInNewContext('numberOf(text)', { numberOf, text }, { timeout: 20_000 }), null);
});
