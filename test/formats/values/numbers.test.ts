import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { readNumber } from '../../../src/formats/values/numbers.ts';

for (const [text, point, comma] of [
  ['1,200', 1200, 1.2],
  ['1.200', 1.2, 1200],
  ['1,234,567.89', 1_234_567.89, null],
  ['1.234.567,89', null, 1_234_567.89],
  ['12,34,567', 1_234_567, null],
  ['25,14', null, 25.14],
  ['25.14', 25.14, 25.14],
  ['$12.50', 12.5, null],
  ['-$1,200.50', -1200.5, null],
  ['$-12', -12, -12],
  ['\u221212', -12, -12],
  ['+€ 12', 12, 12],
  ['US$5', 5, 5],
  ['CHF 1\u2019234.50', 1234.5, null],
  ['1\u202f234,50 €', null, 1234.5],
  ['12.50 EUR', 12.5, null],
  ['58.7%', 58.7, null],
  ['58 %', 58, 58],
  ['.5%', 0.5, null],
  ['1e3', 1000, 1000],
  ['$', null, null],
  ['%', null, null],
  ['--5', null, null],
  ['-$-5', null, null],
  ['1,20', null, 1.2],
  ['1,2345', null, 1.2345],
  ['(1,234.50)', -1234.5, null],
  ['($1,234.50)', -1234.5, null],
  ['(1.234,50 €)', null, -1234.5],
  ['1,234.50-', -1234.5, null],
  ['1.234,50-', null, -1234.5],
  ['(-5)', null, null],
  ['-5-', null, null],
  ['()', null, null],
  ['12 kg', null, null],
  ['ABC 123', null, null],
  ['555-1234', null, null],
  ['1,234\u2019567', null, null],
  ['12:30', null, null],
] as const)
  test(`"${text}" is ${point} with a decimal point, ${comma} with a decimal comma`, () => {
    assert.equal(readNumber(text, 'point'), point);
    assert.equal(readNumber(text, 'comma'), comma);
  });

test('a very long text is rejected quickly', () => {
  const texts = [`$${'1'.repeat(1_000_000)}`, `${'1,'.repeat(500_000)}x`];
  // In a script with a timeout.
  for (const text of texts)
    for (const notation of ['point', 'comma'])
      assert.equal(
        runInNewContext('readNumber(text, notation)', { readNumber, text, notation }, { timeout: 20_000 }),
        null,
      );
});
