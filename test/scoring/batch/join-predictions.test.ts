import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PredictionType } from '../../../src/base/contract/predictions.ts';
import { checkSameType, joinValues } from '../../../src/scoring/batch/join-predictions.ts';
import { labels, numbers } from '../../support/scoring/predictions.ts';

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

describe('joined values', () => {
  it('have the label of each persona, whatever number its part gives it', () => {
    const joined = joinValues(
      { kind: 'label' },
      [
        { predictions: labels(['a', 'b', 'a']), from: 0 },
        { predictions: labels(['b', 'c']), from: 4 },
      ],
      7,
    );
    assert.ok(joined.kind === 'label');
    assert.deepEqual(
      [...joined.indices].map(index => joined.labels[index]),
      ['a', 'b', 'a', undefined, 'b', 'c', undefined],
    );
  });

  it('keep that a persona has no label', () => {
    const part = { ...labels(['a', 'b']), indices: Int32Array.of(-1, 1) };
    const joined = joinValues(
      { kind: 'label' },
      [
        { predictions: labels(['x', 'y']), from: 0 },
        { predictions: part, from: 2 },
      ],
      4,
    );
    assert.ok(joined.kind === 'label');
    assert.deepEqual([...joined.indices], [0, 1, -1, 3]);
  });

  it('have all numbers of each persona, and NaN where there are none', () => {
    const names = ['a', 'b'];
    const joined = joinValues(
      { kind: 'numbers', names },
      [
        { predictions: numbers([1, 2], names), from: 0 },
        { predictions: numbers([3, 4, 5, 6], names), from: 2 },
      ],
      4,
    );
    assert.ok(joined.kind === 'numbers');
    assert.deepEqual([...joined.values], [1, 2, Number.NaN, Number.NaN, 3, 4, 5, 6]);
    const single = joinValues({ kind: 'numbers', names: [] }, [{ predictions: numbers([7]), from: 1 }], 2);
    assert.ok(single.kind === 'numbers');
    assert.deepEqual([...single.values], [Number.NaN, 7]);
  });
});
