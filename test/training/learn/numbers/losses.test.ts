import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Loss } from '../../../../src/training/learn/loss.ts';
import { distributionOf } from '../../../../src/training/learn/numbers/distribution.ts';
import { errorsOf } from '../../../../src/training/learn/numbers/errors.ts';
import { lossesOf } from '../../../../src/training/learn/numbers/losses.ts';

const numbers = Float64Array.of(0, 0, 0, 1, 2, 4, 9, 30);
const rows = Int32Array.from(numbers, (_, row) => row);
const losses = lossesOf(numbers, rows);
const named = (objective: string): Loss =>
  losses.find(loss => loss.objective === objective) ?? assert.fail(objective);

test('the losses of a long tail with zeros are those for numbers, and two with a logarithm', () => {
  assert.deepEqual(
    losses.map(({ objective }) => objective),
    ['squared error', 'absolute error', 'Poisson deviance', 'Tweedie deviance'],
  );
  const symmetric = Float64Array.of(-1, 0, 1, 2, 3);
  assert.equal(lossesOf(symmetric, rows.subarray(0, 5)).length, 2);
});

test('the best constant is the mean, the median, and the logarithm of the mean', () => {
  const [squared = 0] = named('squared error').prior(numbers, rows);
  const [absolute] = named('absolute error').prior(numbers, rows);
  const [poisson = 0] = named('Poisson deviance').prior(numbers, rows);
  assert.equal(squared, 46 / 8);
  assert.equal(absolute, 1.5);
  assert.ok(Math.abs(Math.exp(poisson) - 46 / 8) < 1e-9);
});

/** The deviance of Tweedie's distributions but for a constant, as in scikit-learn. */
const devianceOf = (power: number) => (label: number, score: number) =>
  power === 1
    ? Math.exp(score) - label * score
    : Math.exp((2 - power) * score) / (2 - power) - (label * Math.exp((1 - power) * score)) / (1 - power);

for (const [objective, power] of [
  ['Poisson deviance', 1],
  ['Tweedie deviance', 1.5],
] as const)
  test(`the derivatives of the ${objective} are those of its formula, and a leaf is its minimum`, () => {
    const loss = named(objective);
    const unit = (46 / 8) ** (2 - power);
    const deviance = devianceOf(power);
    const scores = Float64Array.from(numbers, (_, row) => row / 4 - 0.5);
    const to = { gradients: new Float64Array(8), hessians: new Float64Array(8) };
    loss.derivativesOf(numbers)(scores, rows, 0, to);
    for (const row of rows) {
      const [label = 0, score = 0] = [numbers[row], scores[row]];
      const [below, at, above] = [score - 1e-4, score, score + 1e-4].map(
        each => deviance(label, each) / unit,
      );
      const slope = ((above ?? 0) - (below ?? 0)) / 2e-4;
      const curvature = ((above ?? 0) - 2 * (at ?? 0) + (below ?? 0)) / 1e-8;
      assert.ok(Math.abs((to.gradients[row] ?? 0) - slope) < 1e-6, `gradient of row ${row}`);
      assert.ok(Math.abs((to.hessians[row] ?? 0) - curvature) < 1e-4, `hessian of row ${row}`);
    }
    // Zeros alone pull a leaf down by a finite amount.
    const low = loss.leafValue?.(scores, numbers, rows.subarray(0, 3), 1) ?? 0;
    assert.ok(low < -1 && low > -3, String(low));
  });

test('the errors of predictions are those of their formulas', () => {
  const { rmse, mae, median_error: median, r2 } = errorsOf([1, 2, 3, 10], [1, 3, 3, 6]);
  // The same as mean_squared_error ** 0.5, mean_absolute_error, median_absolute_error and r2_score of scikit-learn.
  assert.deepEqual([rmse, mae, median], [Math.sqrt(17 / 4), 1.25, 0.5]);
  assert.ok(Math.abs((r2 ?? 0) + 1 / 3) < 1e-12, String(r2));
  assert.equal(errorsOf([1, 2], [5, 5]).r2, null);
});

test('numbers are far from all others only if they are few and much further away', () => {
  const usual = Array.from({ length: 400 }, (_, i) => i % 50);
  assert.equal(distributionOf(Float64Array.from(usual)).outliers.rows, 0);
  assert.equal(distributionOf(Float64Array.from([...usual, 1e6])).outliers.rows, 1);
  const codes = new Array<number>(8).fill(1e12);
  assert.equal(distributionOf(Float64Array.from([...usual, ...codes])).outliers.rows, 8);
  const mostlyZero = [...new Array<number>(970).fill(0), ...usual.map(number => number + 0.01).slice(0, 30)];
  assert.equal(distributionOf(Float64Array.from(mostlyZero)).outliers.rows, 0);
  const tail = Array.from({ length: 1000 }, (_, i) => Math.exp((i - 500) / 150));
  assert.equal(distributionOf(Float64Array.from(tail)).outliers.rows, 0);
});
