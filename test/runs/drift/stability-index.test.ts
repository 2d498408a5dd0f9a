import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { changeOf, indexOfChance, stabilityIndex } from '../../../src/runs/drift/stability-index.ts';
import '../../support/random-tests.ts';

/** The formula as it is written, from values instead of counts. */
function reference(before: readonly number[], now: readonly number[], bins: number): number {
  let index = 0;
  for (let bin = 0; bin < bins; bin++) {
    const rowsOf = (values: readonly number[]) => values.filter(value => value === bin).length;
    if (rowsOf(before) + rowsOf(now) === 0) continue;
    const shareOf = (values: readonly number[]) => Math.max(0.5, rowsOf(values)) / values.length;
    index += (shareOf(now) - shareOf(before)) * Math.log(shareOf(now) / shareOf(before));
  }
  return index;
}

const countsOf = (values: readonly number[], bins: number): number[] =>
  Array.from({ length: bins }, (_, bin) => values.filter(value => value === bin).length);

const counts = (bins: number) => fc.array(fc.nat(1e6), { minLength: bins, maxLength: bins });

describe('the population stability index', () => {
  it('is that of the formula', () => {
    const values = fc.array(fc.integer({ min: 0, max: 11 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(values, values, (before, now) => {
        const index = stabilityIndex(countsOf(before, 12), countsOf(now, 12));
        assert.ok(Math.abs((index ?? Number.NaN) - reference(before, now, 12)) <= 5.1e-5);
      }),
    );
  });

  it('is the textbook example, worked by hand', () => {
    // Shares 0.5, 0.3, 0.2 become 0.4, 0.3, 0.3: -0.1 ln 0.8 + 0 + 0.1 ln 1.5.
    assert.equal(stabilityIndex([50, 30, 20], [400, 300, 300]), 0.0629);
  });

  it('is never negative, the same in both directions, and 0 for the same shares', () => {
    fc.assert(
      fc.property(counts(8), counts(8), fc.integer({ min: 1, max: 50 }), (before, now, factor) => {
        const index = stabilityIndex(before, now);
        assert.equal(index, stabilityIndex(now, before));
        assert.ok(index === null || index >= 0);
        const total = before.reduce((sum, rows) => sum + rows, 0);
        const more = before.map(rows => rows * factor);
        assert.equal(stabilityIndex(before, more), total === 0 ? null : 0);
      }),
    );
  });

  it('counts half a row in a bin that is empty in one of them', () => {
    const index = 0.5 * Math.log(0.5 / 0.005) * 0.99 + 0.5 * Math.log(2);
    assert.ok(Math.abs((stabilityIndex([100, 0], [50, 50]) ?? 0) - index) < 1e-4);
    assert.equal(stabilityIndex([100, 0, 0], [50, 50, 0]), stabilityIndex([100, 0], [50, 50]));
    assert.ok(Number.isFinite(stabilityIndex([1e9, 0], [0, 1e9])));
  });

  it('seldom exceeds, by chance, what chi-squared says about its bins and rows', () => {
    // The quantile of chi-squared with 9 degrees of freedom for one of 10,000 is 33.72.
    const [before, now] = [new Array(10).fill(100), new Array(10).fill(20)];
    const chance = indexOfChance(before, now) ?? 0;
    assert.ok(Math.abs(chance - 33.72 * (1 / 1000 + 1 / 200)) < 0.004, `${chance}`);
    assert.equal(indexOfChance([0], [1]), null);
    // Bins that are empty in both do not count.
    assert.equal(indexOfChance([...before, 0], [...now, 0]), chance);
  });

  it('is null without rows', () => {
    assert.equal(stabilityIndex([0, 0], [1, 2]), null);
    assert.equal(stabilityIndex([], []), null);
  });

  it('has limits at 0.1 and 0.25', () => {
    const changes = [0, 0.0999, 0.1, 0.2499, 0.25, 9].map(changeOf);
    assert.deepEqual(changes, ['none', 'none', 'moderate', 'moderate', 'significant', 'significant']);
  });
});
