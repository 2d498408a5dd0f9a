import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { countTexts } from '../../../../src/formats/values/column-type.ts';
import { DistinctValues } from '../../../../src/web/data/profile/build-profile.ts';
import '../../../support/random-tests.ts';

function counted(values: readonly string[], most: number): DistinctValues {
  const found = new DistinctValues(most);
  for (const value of values) {
    const bytes = Buffer.from(`ab${value}c`);
    found.add(bytes, 2, bytes.length - 1);
  }
  return found;
}

describe('the different values of a column', () => {
  it('are counted like a map of their texts counts them', () => {
    const value = fc.oneof(
      fc.integer({ min: 0, max: 60 }).map(String),
      fc.string({ maxLength: 4, unit: 'grapheme' }),
    );
    fc.assert(
      fc.property(fc.array(value, { maxLength: 400 }), values => {
        const expected = countTexts(values);
        const found = counted(values, 1000);
        assert.equal(found.size, expected.size);
        assert.deepEqual(new Map(found.ranked(1000).map(({ text, count }) => [text, count])), expected);
      }),
    );
  });

  it('are counted up to a limit', () => {
    const values = Array.from({ length: 100 }, (_, i) => `v${i}`);
    assert.equal(counted(values, 100).isOver, false);
    const over = counted(values, 99);
    assert.deepEqual([over.isOver, over.size], [true, 99]);
  });

  it('are not counted if one of them is long', () => {
    assert.equal(counted(['a', 'x'.repeat(300)], 10).isOver, true);
  });
});
