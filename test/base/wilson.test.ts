import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wilson } from '../../src/base/wilson.ts';

test('the interval is the Wilson score interval', () => {
  const { low, high } = wilson(0.8, 10);
  // Brown, Cai and DasGupta; the same as statsmodels' proportion_confint(8, 10, method='wilson').
  assert.deepEqual([low.toFixed(6), high.toFixed(6)], ['0.490162', '0.943318']);
  assert.equal(wilson(1, 5).high, 1);
  assert.equal(wilson(0, 5).low, 0);
});
