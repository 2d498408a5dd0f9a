import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byMerit, rowMicroseconds, unfitness } from '../../src/service/candidates.ts';
import { accuracy, areClearlyLower, likeliest, logLoss, percent } from '../../src/service/measures.ts';

const scored = { probabilities: Float64Array.of(0.5, 0.5, 0.2, 0.8, 1, 0), labels: [0, 1, 1], classes: 2 };

test('the likeliest class is the first of equals', () => {
  assert.deepEqual(
    [0, 1, 2].map(row => likeliest(scored.probabilities, row, 2)),
    [0, 1, 0],
  );
});

test('accuracy is the share of rows whose likeliest class is true', () => {
  assert.equal(accuracy(scored), 2 / 3);
});

test('log loss stays finite where a model was sure and wrong', () => {
  assert.ok(Math.abs(logLoss(scored) + (Math.log(0.5) + Math.log(0.8) + Math.log(1e-7)) / 3) < 1e-12);
});

test('the smaller log loss wins, accuracy decides between equals', () => {
  const a = { loss: 0.5, accuracy: 0.7 };
  const b = { loss: 0.4, accuracy: 0.6 };
  const c = { loss: 0.4, accuracy: 0.8 };
  assert.deepEqual([a, b, c].sort(byMerit), [c, b, a]);
});

test('shares are written as percent with one decimal', () => {
  assert.deepEqual([0.8123, 1, 0].map(percent), ['81.2%', '100.0%', '0.0%']);
});

test('a model that weighs over 20 MiB or takes over 50 microseconds a row is not fit', () => {
  const [light, fast] = [20 * 1024 * 1024, 50];
  assert.equal(unfitness({ bytes: light, microseconds: fast }), undefined);
  assert.match(unfitness({ bytes: 30 * 1024 * 1024, microseconds: fast }) ?? '', /30 MiB/);
  assert.match(unfitness({ bytes: light, microseconds: 51 }) ?? '', /50 microseconds/);
});

test('what a row takes goes by the trees, their depth and the classes, not by a clock', () => {
  const shape = { trees: 300, depth: 10 };
  assert.equal(rowMicroseconds('random forest', 2, shape), 18);
  assert.equal(rowMicroseconds('random forest', 4, shape), 42);
  assert.equal(rowMicroseconds('gradient boosted trees', 4, shape), 45);
});

test('losses are clearly lower where the difference is more than its standard error', () => {
  const others = Float64Array.from({ length: 100 }, (_, row) => 1 + (row % 2));
  const lowerBy = (gain: number, noise: number) =>
    areClearlyLower(
      others.map((loss, row) => loss - gain + (row % 4 < 2 ? noise : -noise)),
      others,
    );
  // The standard error of a hundred differences that scatter by 1 is 0.1.
  assert.equal(lowerBy(0.11, 1), true);
  assert.equal(lowerBy(0.09, 1), false);
  assert.equal(lowerBy(-0.5, 1), false);
  assert.equal(lowerBy(0, 0), false);
});
