import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RowRate } from '../../../src/server/limits/fair-use.ts';

function withClock(perSecond: number) {
  const clock = { ms: 1_000 };
  return { clock, rate: new RowRate(perSecond, () => clock.ms) };
}

test('a request may exceed the allowance, and the next waits until the excess is below one second’s worth', () => {
  const { clock, rate } = withClock(100);
  assert.equal(rate.retryAfter('a'), 0);
  rate.charge('a', 1_000);
  assert.equal(rate.retryAfter('a'), 9);
  assert.equal(rate.retryAfter('b'), 0);
  clock.ms += 8_999;
  assert.equal(rate.retryAfter('a'), 1);
  clock.ms += 2;
  assert.equal(rate.retryAfter('a'), 0);
});

test('small requests use up the rate as large ones do, and unused time is not saved', () => {
  const { clock, rate } = withClock(100);
  clock.ms += 1_000_000;
  let accepted = 0;
  for (; rate.retryAfter('a') === 0; accepted++) rate.charge('a', 1);
  assert.equal(accepted, 100);
});

test('an upload waits for the rows ahead of it', () => {
  const { clock, rate } = withClock(100);
  assert.equal(rate.batchRows, 100);
  assert.equal(rate.charge('a', 100), 0);
  assert.equal(rate.charge('a', 100), 1_000);
  clock.ms += 500;
  assert.equal(rate.charge('a', 50), 1_500);
});

test('without a limit there is no waiting', () => {
  const rate = new RowRate();
  for (let i = 0; i < 10; i++) assert.equal(rate.charge('a', 1e9), 0);
  assert.equal(rate.retryAfter('a'), 0);
  assert.equal(rate.batchRows, Number.POSITIVE_INFINITY);
});
