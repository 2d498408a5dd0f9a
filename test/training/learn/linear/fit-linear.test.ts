import assert from 'node:assert/strict';
import { test } from 'node:test';
import { learnBinning } from '../../../../src/training/learn/features/bins.ts';
import { fitLinear } from '../../../../src/training/learn/linear/fit-linear.ts';
import { minimize } from '../../../../src/training/learn/linear/lbfgs.ts';
import { lossOfClasses } from '../../../../src/training/learn/loss.ts';

test('the minimum of the Rosenbrock function is found', () => {
  const point = Float64Array.of(-1.2, 1);
  minimize(
    ([x = 0, y = 0], gradient) => {
      gradient[0] = -2 * (1 - x) - 400 * x * (y - x * x);
      gradient[1] = 200 * (y - x * x);
      return (1 - x) ** 2 + 100 * (y - x * x) ** 2;
    },
    point,
    { maxIterations: 200, tolerance: 1e-8 },
  );
  assert.ok(Math.abs((point[0] ?? 0) - 1) < 1e-6 && Math.abs((point[1] ?? 0) - 1) < 1e-6, String(point));
});

test('without a penalty, a level gets the log odds of its rows', () => {
  // Level 1: one of four rows is of class 1; level 2: three of four are.
  const values = Float64Array.of(1, 1, 1, 1, 2, 2, 2, 2);
  const labels = Uint8Array.of(0, 0, 0, 1, 1, 1, 1, 0);
  const feature = { kind: 'levels', values } as const;
  const rows = Int32Array.from(labels, (_, row) => row);
  const { base, features } = fitLinear({
    features: [feature],
    binnings: [learnBinning(feature, 1)],
    labels,
    loss: lossOfClasses(2),
    rows,
    penalty: 1e-6,
  });
  const [own] = features;
  assert.ok(own?.kind === 'levels');
  const odds = [1, 2].map(level => (base[0] ?? 0) + (own.levels[level]?.[0] ?? 0));
  assert.ok(Math.abs((odds[0] ?? 0) + Math.log(3)) < 1e-3, String(odds));
  assert.ok(Math.abs((odds[1] ?? 0) - Math.log(3)) < 1e-3, String(odds));
});
