import assert from 'node:assert/strict';
import { test } from 'node:test';
import { qualityOf } from '../../../src/training/findings/quality.ts';
import { areaUnderCurve } from '../../../src/training/findings/roc.ts';

/** @param text rows of two classes: the label of each, and the probability of the second one */
function twoClasses(text: string) {
  const rows = text.split(' ').map(row => row.split(':').map(Number));
  const probabilities = Float64Array.from(rows.flatMap(([, p = 0]) => [1 - p, p]));
  return { probabilities, labels: rows.map(([label = 0]) => label), classes: 2 };
}

test('for three classes, the area is the mean of each class against the others', () => {
  const probabilities = Float64Array.from([0.6, 0.2, 0.2, 0.3, 0.5, 0.2, 0.4, 0.5, 0.1]);
  // Class 0 is ranked perfectly; class 1 has a tie in one of two pairs; no row has class 2.
  assert.equal(areaUnderCurve({ probabilities, labels: [0, 1, 0], classes: 3 }), (1 + 0.75) / 2);
  assert.equal(areaUnderCurve(twoClasses('1:0.5')), undefined, 'one class only');
});

test('the majority class is that of the training rows; its accuracy is measured on the testing rows', () => {
  const testing = twoClasses('0:0.2 1:0.6 1:0.4 1:0.9');
  const { confusion, calibration, ...metrics } = qualityOf(testing, [0, 0, 1], ['no', 'yes']);
  assert.deepEqual(metrics, {
    testing_rows: 4,
    accuracy: 0.75,
    accuracy_interval: { confidence: 0.95, low: 0.300642, high: 0.954413 },
    auc: 1,
    log_loss: Math.round(1e6 * (-(Math.log(0.8) + Math.log(0.6) + Math.log(0.4) + Math.log(0.9)) / 4)) / 1e6,
    majority_class: 'no',
    majority_accuracy: 0.25,
  });
  assert.deepEqual(confusion, [
    [1, 0],
    [1, 2],
  ]);
  assert.deepEqual(calibration?.[1]?.at(-1), {
    from: 0.9,
    to: 1,
    rows: 1,
    predicted: 0.9,
    actual: 1,
    low: 0.206549,
    high: 1,
  });
});
