import assert from 'node:assert/strict';
import fc from 'fast-check';
import '../../support/random-tests.ts';
import { describe, it } from 'node:test';
import { copiedRanges } from '../../../src/storage/objects/copy-objects.ts';

const MIB = 1 << 20;

const named = (sizes: readonly number[]): { address: string; bytes: number }[] =>
  sizes.map((bytes, i) => ({ address: `s3://bucket/${i}`, bytes }));

describe('the parts of an upload that consists of objects', () => {
  it('are all bytes of the objects in order, each of a size that a part may have', () => {
    const size = fc.oneof(
      fc.integer({ min: 5 * MIB, max: 6 * MIB }),
      fc.bigInt(5n, 50n).map(n => Number(n) * 2 ** 30 + 1),
    );
    fc.assert(
      fc.property(
        fc.array(size, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 0, max: 10 }),
        (sizes, last) => {
          const objects = named([...sizes, last]);
          const ranges = copiedRanges(objects) ?? [];
          let at = 0;
          for (const { address, bytes } of objects)
            for (let from = 0; from < bytes; ) {
              const range = ranges[at++];
              assert.deepEqual([range?.name, range?.from], [address, from]);
              assert.equal(range?.isWhole, range?.from === 0 && range.end === bytes);
              const length = (range?.end ?? 0) - from;
              assert.ok(length <= 5 * 2 ** 30 && (length >= 5 * MIB || at === ranges.length));
              from = range?.end ?? bytes;
            }
          assert.equal(at, ranges.length);
        },
      ),
    );
  });

  it('do not exist if one before the last is too small, if nothing is there, or if there are too many', () => {
    assert.equal(copiedRanges(named([5 * MIB - 1, 5 * MIB])), undefined);
    assert.equal(copiedRanges(named([0, 0])), undefined);
    assert.equal(copiedRanges([]), undefined);
    assert.equal(copiedRanges(named(Array(10_001).fill(5 * MIB))), undefined);
    assert.equal(copiedRanges(named(Array(10_000).fill(5 * MIB)))?.length, 10_000);
  });
});
