import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  countsOfPredictions,
  NUMBER_BINS,
  numberBin,
  numberLimit,
  PredictedLabels,
  PredictedNumbers,
  type PredictionCounts,
  ZERO_BIN,
} from '../../../../src/scoring/counting/numbers/counted-predictions.ts';
import { runs } from '../../../support/random-tests.ts';
import { labels, numbers } from '../../../support/scoring/predictions.ts';

const counted = <Kind extends PredictionCounts['kind']>(
  predictions: Parameters<typeof countsOfPredictions>[0] & { kind: Kind },
  from: number,
  to: number,
) => countsOfPredictions(predictions, from, to) as Extract<PredictionCounts, { kind: Kind }>;

describe('the bins of numbers', () => {
  it('have ascending limits, and contain 0 and all doubles', () => {
    for (let bin = 0; bin < NUMBER_BINS; bin++)
      assert.ok(numberLimit(bin) < numberLimit(bin + 1), String(bin));
    assert.deepEqual([0, -0, 5e-324].map(numberBin), [ZERO_BIN, ZERO_BIN, ZERO_BIN]);
    assert.deepEqual([-Number.MAX_VALUE, Number.MAX_VALUE].map(numberBin), [0, NUMBER_BINS - 1]);
  });

  it('are at most 1/64 as wide as the distance from 0, and in the order of the numbers', () => {
    const number = fc.double({ min: -1e70, max: 1e70, noNaN: true }).filter(value => Math.abs(value) > 1e-70);
    fc.assert(
      fc.property(number, number, (value, other) => {
        const bin = numberBin(value);
        const [low, high] = [numberLimit(bin), numberLimit(bin + 1)];
        assert.ok(low <= value && value <= high, `${low} ${value} ${high}`);
        assert.ok(high - low <= Math.abs(value) / 64 + Number.EPSILON * Math.abs(value));
        assert.equal(value <= other, bin < numberBin(other) || (bin === numberBin(other) && value <= other));
      }),
      { numRuns: runs(20_000) },
    );
  });
});

describe('counted predictions', () => {
  it('are the same however rows are divided, also among copies and after they were stored', () => {
    const values = [0, -3, 1e300, 42, 42, -3, 7e-9, 1];
    const predictions = numbers(values, ['a', 'b']);
    const whole = new PredictedNumbers(new Float64Array(2));
    whole.add(counted(predictions, 0, 4));
    const first = new PredictedNumbers(new Float64Array(2));
    first.add(counted(predictions, 0, 1));
    const copy = first.copy();
    first.add(counted(predictions, 2, 3));
    copy.add(counted(predictions, 1, 2));
    const rest = PredictedNumbers.from(JSON.parse(JSON.stringify(copy)));
    const more = new PredictedNumbers(new Float64Array(2));
    for (const [from, to] of [
      [2, 3],
      [3, 4],
    ] as const)
      more.add(counted(predictions, from, to));
    rest.addRun(more);
    for (const number of [0, 1]) {
      assert.deepEqual(rest.countsOf(number), whole.countsOf(number));
      assert.equal(rest.meanOf(number, 4), whole.meanOf(number, 4));
    }
    assert.deepEqual(
      [...first.countsOf(0).entries()].filter(([, rows]) => rows > 0),
      [0, 42].map(value => [numberBin(value), 1]),
    );
  });

  it('leave out rows with an error, and have a finite mean of numbers near the largest', () => {
    const values = [Number.MAX_VALUE, Number.NaN, Number.MAX_VALUE];
    const errors = new Map([[1, { code: 'odd', message: 'odd' }]]);
    const tally = new PredictedNumbers(new Float64Array(1));
    tally.add(counted({ ...numbers(values), errors }, 0, 3));
    assert.equal(
      tally.countsOf(0).reduce((sum, rows) => sum + rows, 0),
      2,
    );
    assert.equal(tally.meanOf(0, 2), Number.MAX_VALUE);
  });

  it('are labels, of which those beyond 1,000 or 200 characters are counted together', () => {
    const tally = new PredictedLabels();
    tally.add(counted(labels(['yes', 'no', 'yes', '__proto__', 'x'.repeat(201)]), 1, 5));
    assert.deepEqual(tally.toJSON(), { names: ['yes', 'no', '__proto__'], rows: [1, 1, 1], others: 1 });
    const many = labels(Array.from({ length: 1001 }, (_, i) => `label ${i}`));
    tally.add(counted(many, 0, 1001));
    const { names, others } = tally.toJSON();
    assert.deepEqual([names.length, others], [1000, 5]);
  });
});
