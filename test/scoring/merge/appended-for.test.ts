import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PredictionType } from '../../../src/base/contract/predictions.ts';
import { CsvLayout } from '../../../src/formats/csv/csv-layout.ts';
import { appendedFor, type MergeOptions } from '../../../src/scoring/merge/appended-for.ts';
import { read } from '../../support/csv/read.ts';

const layout = new CsvLayout(read('id\n').head);
const options: MergeOptions = { layout, report: {}, prefix: 'p', prediction: false };
const label: PredictionType = { kind: 'label' };
const number: PredictionType = { kind: 'numbers', names: [] };
const numbers: PredictionType = { kind: 'numbers', names: ['a', 'b'] };

describe('what is appended', () => {
  it('is named after the predicted column, or the numbers', () => {
    const named = { ...options, report: { predicts: 'plan' } };
    assert.equal(appendedFor(options, label)?.names, ',prediction');
    assert.equal(appendedFor(options, number)?.names, ',prediction');
    assert.equal(appendedFor(named, label)?.names, ',predicted_plan');
    assert.equal(appendedFor(named, number)?.names, ',predicted_plan');
    assert.equal(appendedFor(named, numbers)?.names, ',p_a,p_b');
  });

  it('is unknown until something says what is predicted', () => {
    assert.equal(appendedFor(options), undefined);
    assert.deepEqual(
      appendedFor({ ...options, resumed: { predictionType: label, lastByte: undefined } })?.predictionType,
      label,
    );
  });

  it('cannot have the options of probabilities if there are none', () => {
    const wrong: [keyof MergeOptions, Partial<MergeOptions>][] = [
      ['classes', { classes: ['no', 'yes'] }],
      ['prediction', { prediction: true }],
      ['probabilities', { probabilities: 'none' }],
      ['decimals', { decimals: 0 }],
      ['threshold', { threshold: { yes: 0.3 } }],
    ];
    for (const [name, given] of wrong)
      for (const [type, what] of [
        [label, 'labels'],
        [numbers, 'numbers'],
      ] as const)
        assert.throws(() => appendedFor({ ...options, ...given }, type), {
          code: 'bad_option',
          message: `--${name} needs probabilities, but the predictions are ${what}`,
        });
  });
});
