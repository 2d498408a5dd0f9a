import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RecordSample } from '../../../../src/web/data/profile/record-sample.ts';

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
