import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Predictions } from '../../../src/base/contract/predictions.ts';
import { MAX_LABEL_BYTES } from '../../../src/formats/appended.ts';
import { checkedOutcome } from '../../../src/scoring/batch/check-values.ts';
import { predictionTypeOf } from '../../../src/scoring/predictions.ts';
import { labels, numbers } from '../../support/scoring/predictions.ts';

/** What is left after halving a batch. */
const alone = { predictionType: undefined, allowAllInvalid: true };

/** The rows that are rejected, and why. */
function rejectsOf(predictions: Predictions): Record<number, string> {
  const outcome = checkedOutcome({ faults: new Map(), predictions }, alone);
  assert.ok('predictions' in outcome);
  return Object.fromEntries(
    [...outcome.predictions.errors].map(([row, { code, message }]) => [row, `${code}: ${message}`]),
  );
}

describe('labels and numbers that cannot be appended', () => {
  it('are labels that are missing, empty or too long', () => {
    const longest = 'ü'.repeat(MAX_LABEL_BYTES / 2);
    const all = labels(['a', longest, `${longest}x`, '', 'b', 'c']);
    assert.deepEqual(rejectsOf({ ...all, indices: all.indices.with(4, -1).with(5, 99) }), {
      2: 'wrong_prediction: the label has 1025 bytes; the limit is 1024',
      3: 'wrong_prediction: the label is empty',
      4: 'wrong_prediction: there is no label',
      5: 'wrong_prediction: there is no label',
    });
  });

  it('are numbers that are not finite; the first of a row is named', () => {
    const values = [1, Number.MAX_VALUE, Number.NaN, Number.POSITIVE_INFINITY, 0, Number.NEGATIVE_INFINITY];
    assert.deepEqual(rejectsOf(numbers(values, ['a', 'b'])), {
      1: 'wrong_prediction: the number "a" is NaN',
      2: 'wrong_prediction: the number "b" is -Infinity',
    });
    assert.deepEqual(rejectsOf(numbers([0, Number.NaN])), { 1: 'wrong_prediction: the number is NaN' });
  });

  it('do not replace the error that a row has already', () => {
    const errors = new Map([[0, { code: 'odd', message: 'it is odd' }]]);
    assert.deepEqual(rejectsOf({ ...numbers([Number.NaN, 1]), errors }), { 0: 'odd: it is odd' });
    assert.deepEqual(rejectsOf({ ...labels(['']), errors }), { 0: 'odd: it is odd' });
  });

  it('leave predictions as they are if there are none', () => {
    for (const predictions of [labels(['a']), numbers([1])]) {
      const outcome = { faults: new Map(), predictions };
      assert.equal(checkedOutcome(outcome, alone), outcome);
    }
  });

  it('make a response wrong if they are in every row, unless these are what is left after halving', () => {
    const errors = new Map([[1, { code: 'odd', message: 'it is odd' }]]);
    const whole = { predictionType: undefined };
    const faults = new Map();
    for (const [predictions, known, message] of [
      [labels(['', '']), { kind: 'label' }, 'prediction 1: the label is empty'],
      [numbers([Number.NaN, 1 / 0]), { kind: 'numbers', names: [] }, 'prediction 1: the number is NaN'],
    ] as const) {
      const outcome = checkedOutcome({ faults, predictions: { ...predictions, origins: [7] } }, whole);
      assert.deepEqual(outcome, {
        faults,
        failure: { kind: 'invalid_response', code: 'wrong_answer', message, location: {}, origin: 7 },
      });
      // A row that the service has rejected is not wrong.
      assert.ok('predictions' in checkedOutcome({ faults, predictions: { ...predictions, errors } }, whole));
      // What only wrong predictions have shown does not become the header.
      const left = checkedOutcome({ faults, predictions }, alone);
      assert.ok('predictions' in left && left.predictions.errors.size === 2);
      assert.equal(predictionTypeOf(left.predictions), undefined);
      const others = checkedOutcome({ faults, predictions }, { ...alone, predictionType: known });
      assert.ok('predictions' in others && others.predictions.kind === known.kind);
    }
  });
});
