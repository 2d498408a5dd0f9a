import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PredictionType } from '../../../src/base/contract/predictions.ts';
import { checkSameType } from '../../../src/scoring/batch/check-same-type.ts';

const types: PredictionType[] = [
  { kind: 'distribution', classes: ['no', 'yes'] },
  { kind: 'distribution', classes: ['yes', 'no'] },
  { kind: 'label' },
  { kind: 'numbers', names: [] },
  { kind: 'numbers', names: ['a'] },
  { kind: 'numbers', names: ['a', 'b'] },
];

describe('predictions after others', () => {
  it('may be anything if nothing is known, or the same', () => {
    for (const type of types) {
      checkSameType(type, undefined);
      checkSameType(structuredClone(type), type);
    }
  });

  it('stop the run if they are of another kind, or have other classes or names', () => {
    for (const received of types)
      for (const expected of types)
        if (received !== expected)
          assert.throws(() => checkSameType(received, expected), {
            code: 'wrong_answer',
            severity: 'stopped',
            needsRestart: true,
          });
  });

  it('are both named in the message', () => {
    const [first, second, label, number, , two] = types as [PredictionType, ...PredictionType[]];
    const message = (received = first, expected = first): string => {
      try {
        checkSameType(received, expected);
      } catch (error) {
        return error instanceof Error ? error.message : '';
      }
      return '';
    };
    assert.equal(message(second), 'the classes in the response differ from those of earlier responses');
    assert.equal(message(label), 'the response has labels, but earlier responses had probabilities');
    assert.equal(
      message(number, two),
      'the response has a number, but earlier responses had the numbers a, b',
    );
  });
});
