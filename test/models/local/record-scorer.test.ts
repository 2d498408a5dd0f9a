import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wrongPredictions } from '../../../src/models/local/record-scorer.ts';

test('a row with invalid probabilities gets an error; the others do not', () => {
  const rows = [
    [0.25, 0.75],
    [Number.NaN, 1],
    [1, 0],
    [1.5, -0.5],
    [0.5, 0.4],
    [0.5, 0.505],
  ];
  const errors = wrongPredictions(Float64Array.from(rows.flat()), {
    kind: 'distribution',
    classes: ['no', 'yes'],
  });
  assert.deepEqual([...errors.keys()], [1, 3, 4]);
  assert.deepEqual(errors.get(4), {
    code: 'wrong_probabilities',
    message: 'invalid probabilities: 0.5, 0.4',
  });
});
