import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { joinValues } from '../../../src/scoring/batch/join-values.ts';
import { labels, numbers } from '../../support/scoring/predictions.ts';

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
