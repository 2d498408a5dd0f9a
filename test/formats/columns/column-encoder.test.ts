import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Value } from '../../../src/base/contract/schemas.ts';
import { columnEncoderOf, unrecognizedOf } from '../../../src/formats/columns/column-encoder.ts';

/** The level that a column with these levels takes a value for, and how it is counted. */
function readBy(levels: string[], value: Value): [string | undefined, string | undefined] {
  const column = { name: 'x', type: 'categorical' as const, levels };
  const number = columnEncoderOf(column)(value);
  return [number === null ? undefined : levels[number - 1], unrecognizedOf(column, value, number)];
}

describe('two categories that mean yes and no', () => {
  const pairs = [
    ['true', 'false'],
    ['T', 'F'],
    ['Yes', 'No'],
    ['y', 'n'],
    ['1', '0'],
    ['1.0', '0.0'],
  ] as const;

  it('are found by all other ways to write them, in any case, in both directions', () => {
    for (const [yes, no] of pairs)
      for (const [otherYes, otherNo] of pairs) {
        const levels = [no, yes];
        const isOther = otherYes !== yes;
        assert.deepEqual(readBy(levels, otherYes), [yes, isOther ? 'trimmed' : undefined]);
        assert.deepEqual(readBy(levels, ` ${otherNo.toUpperCase()} `), [no, 'trimmed']);
      }
    assert.deepEqual(readBy(['No', 'Yes'], true)[0], 'Yes');
  });

  it('are not found if there are three, if both mean the same, or if one means something else', () => {
    for (const levels of [
      ['Yes', 'No', 'Maybe'],
      ['Yes', 'true'],
      ['Yes', 'Never'],
      ['Yes', 'f', 'F'],
    ])
      assert.deepEqual(readBy(levels, 'false')[1] ?? readBy(levels, 'n')[1], 'unseen');
    assert.deepEqual(readBy(['Yes', 'No'], 'off'), [undefined, 'unseen']);
  });
});

describe('categories that are whole numbers', () => {
  it('are found with and without the decimal that data frames add', () => {
    assert.deepEqual(readBy(['1', '2', '-3'], '-3.0'), ['-3', 'trimmed']);
    assert.deepEqual(readBy(['1.0', '2.0', '3.0'], '2'), ['2.0', 'trimmed']);
  });

  it('are different if both are known, if others are no whole numbers, or if the decimal is another one', () => {
    assert.deepEqual(readBy(['1', '1.0', '2'], '1.0'), ['1.0', undefined]);
    assert.deepEqual(readBy(['1', 'x', '2'], '1.0'), [undefined, 'unseen']);
    for (const text of ['1.00', '1.5', '4.0', '01.0'])
      assert.equal(readBy(['1', '2', '3'], text)[1], 'unseen');
  });
});
