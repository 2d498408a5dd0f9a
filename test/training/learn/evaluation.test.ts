import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accuracy, logLoss, mostLikely, percent } from '../../../src/training/learn/evaluation.ts';

const scored = { probabilities: Float64Array.of(0.5, 0.5, 0.2, 0.8, 1, 0), labels: [0, 1, 1], classes: 2 };

test('among equal probabilities, the first class is the predicted one', () => {
  assert.deepEqual(
    [0, 1, 2].map(row => mostLikely(scored.probabilities, row, 2)),
    [0, 1, 0],
  );
});

test('accuracy is the share of rows whose predicted class is correct', () => {
  assert.equal(accuracy(scored), 2 / 3);
});

test('log loss stays finite if a model was certain and wrong', () => {
  assert.ok(Math.abs(logLoss(scored) + (Math.log(0.5) + Math.log(0.8) + Math.log(1e-7)) / 3) < 1e-12);
});

test('shares are written as percentages with one decimal', () => {
  assert.deepEqual([0.8123, 1, 0].map(percent), ['81.2%', '100.0%', '0.0%']);
});
