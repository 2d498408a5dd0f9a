import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeEvaluation } from '../../../../src/cli/terminal/evaluate/evaluation-text.ts';
import { evaluationOf } from '../../../../src/evaluate/evaluation-of.ts';
import { ClassTally } from '../../../../src/evaluate/statistics/class-tally.ts';
import { churned, evaluationOfSet, revenue } from '../../../evaluate/evaluations.ts';
import { facts } from '../../../evaluate/facts.ts';

describe('an evaluation on the terminal', () => {
  it('has figures next to those of the report, and differences from an earlier one', () => {
    const earlier = { name: 'september.json', evaluation: churned() };
    const text = describeEvaluation(churned({ shift: 0.05 }, { testing: { auc: 0.8312 }, earlier }));
    assert.match(text, /^churned: 1,\d{3} of 4,000 scored rows have a label \(\d+\.\d%\)\n/);
    assert.match(text, /\n {2}AUC +0\.\d{3} +0\.\d{3} to 0\.\d{3} +0\.831\n/);
    assert.match(text, /\n {2}Log loss +0\.\d{3} +0\.\d{3} +0\.\d{3} +0\.\d{3} to 0\.\d{3}\n/);
    for (const title of ['Calibration of "yes"', 'Gains of "yes"', 'By plan'])
      assert.ok(text.includes(title));
  });

  it('has lines of at most 80 characters, but for warnings', () => {
    for (const evaluation of [
      churned({ plans: ['Île-de-France', 'Auvergne'] }),
      revenue(),
      evaluationOfSet('20 classes'),
      evaluationOfSet('one class'),
    ])
      for (const line of describeEvaluation(evaluation).split('\n'))
        assert.ok(line.length <= 80 || line.startsWith('warning: '), line);
  });

  it('of numbers has their errors by tenths of the prediction', () => {
    assert.match(
      describeEvaluation(revenue()),
      /By tenths of the prediction\n\n +prediction +rows +mean +actual +bias/,
    );
  });

  it('without labels says only that', () => {
    assert.equal(
      describeEvaluation(evaluationOf(new ClassTally(['no', 'yes']), facts)),
      'churned: 0 of 0 scored rows have a label\n\nwarning: No scored row has a label, so nothing can be said yet.\n',
    );
  });
});
