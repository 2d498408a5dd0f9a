import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SharedBudget } from '../../../src/server/limits/shared-budget.ts';

/** Takes pieces for the keys in rotation until none gets any more. @returns what each key holds */
function fill(budget: SharedBudget, keys: readonly string[], piece = 1): number[] {
  const holdings = keys.map(key => budget.open(key));
  for (let isTaking = true; isTaking; )
    isTaking = holdings.map(holding => holding.take(piece)).some(taken => taken);
  return keys.map(key => budget.heldBy(key));
}

test('a key alone gets half, two a third each, and eight a ninth', () => {
  const eight = [...'abcdefgh'];
  assert.deepEqual(fill(new SharedBudget(90, () => {}), ['a']), [45]);
  assert.deepEqual(fill(new SharedBudget(90, () => {}), ['a', 'b']), [30, 30]);
  assert.deepEqual(
    fill(new SharedBudget(90, () => {}), eight),
    eight.map(() => 10),
  );
});

test('a key that holds nothing is granted a unit as long as one is free', () => {
  const budget = new SharedBudget(3, () => {});
  const takes = ['a', 'b', 'c', 'd'].map(key => budget.open(key).take(1));
  assert.deepEqual(takes, [true, true, true, false]);
});

test('a released piece is free again, only once, and a released holding takes nothing more', () => {
  let refusals = 0;
  const budget = new SharedBudget(10, () => refusals++);
  const first = budget.open('a');
  const second = budget.open('a');
  assert.ok(first.take(2) && first.take(1) && second.take(2));
  assert.ok(!second.take(1));
  assert.equal(refusals, 1);
  first.release();
  first.release();
  assert.equal(budget.heldBy('a'), 2);
  assert.ok(!first.take(1) && second.take(3));
  second.release();
  assert.equal(budget.heldBy('a'), 0);
  assert.ok(budget.open('b').take(10));
});
