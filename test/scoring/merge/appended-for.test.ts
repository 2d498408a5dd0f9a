import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PredictionType } from '../../../src/base/contract/predictions.ts';
import { csvLayout } from '../../../src/formats/csv/csv-layout.ts';
import { appendedFor, type MergeOptions } from '../../../src/scoring/merge/appended-for.ts';
import { read } from '../../support/csv/read.ts';

const layout = csvLayout({ header: read('id\n').head });
const options: MergeOptions = { layout, report: {}, prediction: false };
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
    assert.equal(appendedFor(named, numbers)?.names, ',probability_a,probability_b');
  });

  it('is unknown until something says what is predicted', () => {
    assert.equal(appendedFor(options), undefined);
    assert.deepEqual(
      appendedFor({ ...options, resumed: { predictionType: label, lastByte: undefined } })?.predictionType,
      label,
    );
  });

  it('is what the report announces, before there is a prediction', () => {
    const announced = { ...options, report: { predictionType: number } };
    assert.deepEqual(appendedFor(announced)?.predictionType, number);
    assert.throws(() => appendedFor({ ...announced, prefix: 'p' }), { code: 'bad_option' });
  });

  it('cannot have options that are for other predictions', () => {
    const wrong: [keyof MergeOptions, Partial<MergeOptions>, purpose: string][] = [
      ['classes', { classes: ['no', 'yes'] }, 'probabilities'],
      ['prediction', { prediction: true }, 'probabilities'],
      ['probabilities', { probabilities: 'none' }, 'probabilities'],
      ['threshold', { threshold: { yes: 0.3 } }, 'probabilities'],
      ['decimals', { decimals: 0 }, 'numbers'],
      ['prefix', { prefix: 'probability' }, 'several columns'],
    ];
    const types: [PredictionType, string][] = [
      [label, 'labels'],
      [number, 'single numbers'],
      [numbers, 'numbers'],
    ];
    for (const [name, given, purpose] of wrong)
      for (const [type, what] of types) {
        const isRefused =
          purpose === 'probabilities' || type === label || (purpose === 'several columns' && type === number);
        const appending = () => appendedFor({ ...options, ...given }, type);
        if (isRefused)
          assert.throws(appending, {
            code: 'bad_option',
            message: `--${name} is for ${purpose}, but the predictions are ${what}`,
            hint:
              name === 'prediction'
                ? /^Leave out --prediction\. The output has what/
                : `Leave out --${name}.`,
          });
        else assert.ok(appending());
      }
  });
});
