import assert from 'node:assert/strict';
import { it, test } from 'node:test';
import { describeQuality, describeReport } from '../../../src/cli/terminal/report-text.ts';
import { qualityOf } from '../../../src/training/findings/quality.ts';

it('a report is shown whatever its drivers are', () => {
  const impacts = [1e308, 5e307, 0, -1];
  const drivers = Array.from({ length: 200_000 }, (_, at) => ({
    column: `c${at}`,
    impact: impacts[at % 4] ?? 0,
  }));
  const lines = describeReport('r', { tech_specs: {}, drivers }).split('\n');
  assert.deepEqual(
    lines.filter(line => / c[0-3] /.test(line)).map(line => line.match(/█/g)?.length ?? 0),
    [24, 12, 0, 0],
  );
  assert.match(
    describeReport('r', { tech_specs: {}, drivers: [{ column: 'a', impact: 0 }] }),
    / a +0\.0%\n$/,
  );
});

it('a report shows its quality and warnings if they have the known structure', () => {
  const quality = {
    testing_rows: 1409,
    accuracy: 0.7995,
    accuracy_interval: { confidence: 0.95, low: 0.778, high: 0.8196 },
    auc: 0.8421,
    log_loss: 0.41877,
    majority_class: 'No',
    majority_accuracy: 0.7346,
  };
  const warnings = [{ code: 'leak', message: 'Look at "x".' }];
  const text = describeReport('r', { tech_specs: {}, drivers: [], quality, warnings });
  assert.equal(
    text,
    [
      'r',
      '',
      '',
      'Quality on 1,409 testing rows',
      '',
      '  accuracy  80.0% (95% confidence interval: 77.8% to 82.0%)',
      '  baseline  73.5% (always predicting "No")',
      '  AUC       0.842',
      '  log loss  0.419',
      '',
      'Warnings',
      '',
      '  Look at "x".',
      '',
    ].join('\n'),
  );
  const other = describeReport('r', { tech_specs: {}, drivers: [], quality: 'good', warnings: 'none' });
  assert.doesNotMatch(other, /Quality|Warnings/);
});

/** The quality of rows with these labels and probabilities. */
const quality = (labels: number[], rows: number[][], names: string[]) =>
  qualityOf({ labels, probabilities: Float64Array.from(rows.flat()), classes: names.length }, labels, names);

test('of two classes, the matrix and the calibration of the second one are shown', () => {
  const rows = [
    [0.9, 0.1],
    [0.8, 0.2],
    [0.25, 0.75],
    [0.2, 0.8],
    [0.95, 0.05],
  ];
  const names = ['no', 'yes'];
  assert.equal(
    describeQuality(quality([0, 0, 1, 0, 1], rows, names), names),
    `
Quality on 5 testing rows

  accuracy  60.0% (95% confidence interval: 23.1% to 88.2%)
  baseline  60.0% (always predicting "no")
  AUC       0.333
  log loss  1.044

Confusion matrix

  actual \\ predicted  no  yes
  no                   2    1
  yes                  1    1

Calibration of "yes"

  probability  rows  predicted  actual   95% confidence
  0% to 10%       1       5.0%  100.0%  20.7% to 100.0%
  10% to 20%      1      10.0%    0.0%    0.0% to 79.3%
  20% to 30%      1      20.0%    0.0%    0.0% to 79.3%
  70% to 80%      1      75.0%  100.0%  20.7% to 100.0%
  80% to 90%      1      80.0%    0.0%    0.0% to 79.3%
`,
  );
});

test('of many classes, the largest confusions and the least calibrated classes are shown', () => {
  const names = Array.from({ length: 12 }, (_, i) => `class${i}\u001b`);
  const labels = names.flatMap((_, i) => [i, i, i]);
  const rows = labels.map((label, row) =>
    names.map((_, i) => (i === (row % 3 === 2 ? (label + 1) % 12 : label) ? 1 : 0)),
  );
  const text = describeQuality(quality(labels, rows, names), names);
  assert.match(text, /\n {2}AUC +0\.\d{3} \(one-vs-rest, averaged over the classes\)\n/);
  assert.match(text, /\nMost frequent confusions\n\n {2}class0\S* +predicted as class1\S* +1\n/);
  assert.equal(text.match(/predicted as/g)?.length, 10);
  assert.match(text, /\nCalibration, the worst classes first\n\n {2}class +predicted +actual +mean error\n/);
  assert.ok(!text.includes('\u001b'));
});

it('a report has no lines wider than 80 columns, whatever its class names are', () => {
  const names = ['below 31.25', '31.25 to 42.21', '42.21 to 51.23', '51.23 to 60.6', '60.6 and above'];
  const labels = names.flatMap((_, i) => [i, i]);
  const rows = labels.map((label, row) => names.map((_, i) => (i === (row % 2 === 0 ? label : 0) ? 1 : 0)));
  const measured = {
    quality: quality(labels, rows, names),
    warnings: [{ code: 'x', message: names.join() }],
  };
  const text = describeReport('r', { tech_specs: {}, drivers: [], classes: names, ...measured });
  assert.match(text, /\nMost frequent confusions\n\n {2}31.25 to 42.21 +predicted as below 31.25 +1\n/);
  assert.deepEqual(
    text.split('\n').filter(line => line.length > 80),
    [],
  );
});

test('a report of another service, or with other classes, shows its metrics only', () => {
  const names = ['no', 'yes'];
  const whole = quality(
    [0, 1],
    [
      [0.9, 0.1],
      [0.2, 0.8],
    ],
    names,
  );
  const { confusion: _, calibration: __, ...short } = whole;
  for (const text of [
    describeQuality(short, names),
    describeQuality(whole, undefined),
    describeQuality(whole, ['no', 'perhaps', 'yes']),
  ]) {
    assert.match(text, /AUC/);
    assert.doesNotMatch(text, /Confusion|Calibration/);
  }
});
