import '../../../support/random-tests.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { countTexts } from '../../../../src/formats/values/column-type.ts';
import { DistinctValues } from '../../../../src/web/data/profile/build-profile.ts';
import { RecordSample } from '../../../../src/web/data/profile/record-sample.ts';

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

function sampleOf(count: number, limits: { maxRows?: number; maxBytes?: number }, size = 10): string[] {
  const sample = new RecordSample(limits);
  for (let i = 0; i < count; i++) sample.add(size, () => String(i).padStart(size));
  return sample.records().map(record => record.trim());
}

describe('a sample of records', () => {
  it('is all of them, if they are few', () => {
    assert.deepEqual(
      sampleOf(50, { maxRows: 50 }),
      Array.from({ length: 50 }, (_, i) => String(i)),
    );
  });

  it('is a part of the limited size, in order, from everywhere in the file', () => {
    const drawn = sampleOf(10_000, { maxRows: 200 }).map(Number);
    assert.equal(drawn.length, 200);
    assert.deepEqual(
      drawn,
      drawn.toSorted((a, b) => a - b),
    );
    for (const from of [0, 2500, 5000, 7500]) {
      const share = drawn.filter(i => i >= from && i < from + 2500).length;
      assert.ok(share > 25 && share < 75, `${share} of 200 are from ${from} on`);
    }
  });

  it('takes a limited number of bytes', () => {
    const drawn = sampleOf(1_000, { maxBytes: 10_000 }, 1_000);
    assert.ok(drawn.length > 0 && drawn.length <= 10, String(drawn.length));
  });
});
