import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClassTally } from '../../../src/evaluate/statistics/class-tally.ts';

test('rows whose probabilities are not from 0 to 1 are counted apart', () => {
  const tally = new ClassTally(['no', 'yes']);
  for (const values of [
    [0.2, Number.NaN],
    [-0.1, 1.1],
    [1.2, 0.1],
  ])
    tally.addLabelled({ values: Float64Array.from(values), label: -1 }, 1);
  tally.addLabelled({ values: Float64Array.of(0.3, 0.7), label: -1 }, 1);
  assert.equal(tally.invalid, 3);
  assert.deepEqual([...tally.confusion], [0, 0, 0, 1]);
});
