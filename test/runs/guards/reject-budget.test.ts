import assert from 'node:assert/strict';
import { it } from 'node:test';
import { rejectBudget } from '../../../src/runs/guards/reject-budget.ts';

const run = () => ({ read: 0, rejected: 0, rejectedBy: {} as Record<string, number> });

it('rejects of several runs count together, each row once', () => {
  const budget = rejectBudget({ rows: 3 });
  const [a, b] = [run(), run()];
  Object.assign(a, { read: 10, rejected: 2, rejectedBy: { x: 2 } });
  budget.check(a);
  budget.check(a);
  Object.assign(b, { read: 10, rejected: 1, rejectedBy: { y: 1 } });
  budget.check(b);
  Object.assign(b, { read: 11, rejected: 2, rejectedBy: { x: 1, y: 1 } });
  assert.throws(() => budget.check(b), {
    code: 'too_many_rejects',
    message: '4 of 21 rows were rejected: 3 × x, 1 × y',
  });
});

it('a percentage counts from 1,000 rows of all runs on, and at the end', () => {
  const budget = rejectBudget({ percent: 10 });
  const [a, b] = [run(), run()];
  Object.assign(a, { read: 600, rejected: 600, rejectedBy: { x: 600 } });
  budget.check(a);
  assert.throws(() => budget.checkEnd(), { code: 'too_many_rejects' });
  Object.assign(b, { read: 400 });
  assert.throws(() => budget.check(b), { code: 'too_many_rejects' });
});
