import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeReport } from '../../../src/cli/terminal/report-text.ts';

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
