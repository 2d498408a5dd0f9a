import assert from 'node:assert/strict';
import { test } from 'node:test';
import { qualityOf } from '../../../src/training/findings/quality.ts';
import { warningsOf } from '../../../src/training/findings/warnings.ts';
import { learnColumns } from '../../../src/training/rows/learn-columns.ts';
import { splitRows } from '../../../src/training/rows/split-rows.ts';
import { seededRandom } from '../../../src/training/seeded-random.ts';

/** The warnings about 500 rows of an amount, a plan, the value that `column` derives from the label, and the label. */
function warningsAbout(
  column: (label: number, i: number, random: () => number) => string,
  p = 0.9,
  copies = 0,
  drivers = [
    { column: 'amount', impact: 0.8 },
    { column: 'extra', impact: 0.2 },
  ],
  /** Of ten testing rows, those whose prediction is wrong. */
  wrong = 0,
) {
  const random = seededRandom(9);
  const labels = Array.from({ length: 500 }, () => (random() < 0.4 ? 1 : 0));
  const rows = labels.map((label, i) => [
    (100 * random() + 20 * label).toFixed(2),
    ['basic', 'pro'][Math.floor(2 * random())] ?? '',
    column(label, i, random),
    String(label),
  ]);
  for (let i = 0; i < copies; i++) {
    labels[499 - i] = labels[i] ?? 0;
    rows[499 - i] = [
      ...(rows[i] ?? []).slice(0, 2),
      column(labels[i] ?? 0, 499 - i, random),
      String(labels[i]),
    ];
  }
  const split = splitRows(labels, 2, 1);
  const learned = learnColumns(['amount', 'plan', 'extra', 'y'], rows, 3);
  const testing = split.testing.map(row => labels[row] ?? 0);
  const probabilities = Float64Array.from(
    testing.flatMap((label, at) => ((label === 1) === at % 10 >= wrong ? [1 - p, p] : [p, 1 - p])),
  );
  const quality = qualityOf({ probabilities, labels: testing, classes: 2 }, labels, ['no', 'yes']);
  return warningsOf(learned, { rows, labels, classes: 2 }, split, { quality, drivers }).map(
    ({ message }) => message,
  );
}

const noise = (_: number, __: number, random: () => number) => String(Math.floor(9 * random()));

test('clean data gives no warnings', () => {
  assert.deepEqual(warningsAbout(noise), []);
});

for (const [what, column] of [
  ['a level for each class', label => ['stayed', 'left'][label] ?? ''],
  ['an amount that only one class has', (label, i) => String(label === 0 ? 0 : 10 + (i % 70))],
  ['a date that is missing for one class', (label, i) => (label === 0 ? '' : `2024-01-${10 + (i % 19)}`)],
  ['the class with one percent of noise', (label, i) => String(i % 100 === 7 ? 1 - label : label)],
] as const satisfies [string, (label: number, i: number) => string][])
  test(`a column that is ${what} is reported as a leak`, () => {
    assert.deepEqual(warningsAbout(column), [
      '"extra" alone nearly determines the class. If it is known only after the outcome, leave it out: predictions will be worse than these metrics suggest.',
    ]);
  });

const dominant = [
  { column: 'amount', impact: 0.83 },
  { column: 'plan', impact: 0.17 },
];

test('a driver with more than 80 percent of the impact is reported as a possible leak', () => {
  assert.deepEqual(warningsAbout(noise, 0.9, 0, dominant), [
    '"amount" decides nearly everything, with 83.0% of the impact of all columns. If it is known only after the outcome, leave it out: predictions will be worse than these metrics suggest.',
  ]);
});

test('a driver does not reveal the class of a model that is often wrong, however much of the impact it has', () => {
  assert.deepEqual(warningsAbout(noise, 0.9, 0, dominant, 2), []);
});

test('a dominating driver is not reported of a single column, of a model without signal, or twice', () => {
  assert.deepEqual(warningsAbout(noise, 0.9, 0, [{ column: 'amount', impact: 1 }]), []);
  assert.doesNotMatch(warningsAbout(noise, 0.5, 0, dominant).join(), /impact of all columns/);
  const leaks = warningsAbout(label => ['a', 'b'][label] ?? '', 0.9, 0, [
    { column: 'extra', impact: 0.9 },
    { column: 'plan', impact: 0.1 },
  ]);
  assert.equal(leaks.length, 1, leaks.join());
});

test('copies of testing rows among the others are counted, ignoring row numbers', () => {
  const [message = '', ...others] = warningsAbout((_, i) => String(i), 0.9, 100);
  assert.match(
    message,
    /^\d\d of 100 testing rows are identical to rows used for training, including the label\./,
  );
  assert.deepEqual(others, []);
});

test('a model that is not clearly better than the most frequent class is reported', () => {
  const [message = '', ...others] = warningsAbout(noise, 0.1);
  assert.match(
    message,
    /^The model is right for 0\.0% of the testing rows, not clearly better than always predicting "no" \(\d\d\.\d%\); its AUC is 0\.00/,
  );
  assert.deepEqual(others, []);
});
