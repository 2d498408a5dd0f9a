import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { binQuantile, lowerLimit, SCORE_BINS, scoreBin } from '../../../src/scoring/counting/tally.ts';
import { runs } from '../../support/random-tests.ts';

test('limits of bins ascend from 0 to 1', () => {
  assert.equal(lowerLimit(0), 0);
  assert.equal(lowerLimit(SCORE_BINS), 1);
  for (let bin = 0; bin < SCORE_BINS; bin++) assert.ok(lowerLimit(bin) <= lowerLimit(bin + 1), String(bin));
});

test('a bin contains its probabilities, and is at most 1/32 as wide as their distance from 0 or 1', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), probability => {
      const bin = scoreBin(probability);
      const [low, high] = [lowerLimit(bin), lowerLimit(bin + 1)];
      // Rounding to a float32 may cross a limit.
      assert.ok(low - 1e-7 <= probability && probability <= high + 1e-7, `${low} ${probability} ${high}`);
      const distance = Math.min(probability, 1 - probability);
      assert.ok(high - low <= Math.max(2 ** -16, distance / 32) * 1.0001, `${low} ${probability} ${high}`);
    }),
    { numRuns: runs(20_000) },
  );
});

test('quantiles are as near to those of the numbers as the bins are wide', () => {
  const scores = Float64Array.from({ length: 10_000 }, (_, i) => ((i * 7919) % 10_000) / 10_000);
  const counts = new Float64Array(SCORE_BINS);
  for (const score of scores) {
    const bin = scoreBin(score);
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  for (const share of [0.01, 0.1, 0.5, 0.9, 0.99]) {
    const error = Math.abs(binQuantile(counts, share) - share);
    assert.ok(error <= Math.min(share, 1 - share) / 32 + 1e-4, `${share}: ${error}`);
  }
});
