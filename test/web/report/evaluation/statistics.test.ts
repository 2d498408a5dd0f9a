import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { calibrationOf } from '../../../../src/training/findings/quality.ts';
import { rocCurve } from '../../../../src/training/findings/roc.ts';
import { confusionOf, correctRows } from '../../../../src/training/learn/evaluation.ts';
import { runs } from '../../../support/random-tests.ts';

/** Few distinct values, so that many are equal; 0 and 1 are among them. */
const probabilities = fc.array(
  fc.integer({ min: 0, max: 20 }).map(step => step / 20),
  { maxLength: 40 },
);
const given = fc.tuple(probabilities, probabilities).map(lists => lists.map(list => Float64Array.from(list)));

describe('a ROC curve', () => {
  it('has the area that counting all pairs gives', () => {
    fc.assert(
      fc.property(given, ([ofClass = new Float64Array(), others = new Float64Array()]) => {
        const curve = rocCurve(ofClass, others);
        let wins = 0;
        for (const one of ofClass)
          for (const other of others) wins += one > other ? 1 : one === other ? 0.5 : 0;
        const pairs = ofClass.length * others.length;
        if (pairs === 0) assert.equal(curve, undefined);
        else assert.ok(Math.abs((curve?.area ?? -1) - wins / pairs) < 1e-9);
      }),
    );
  });

  it('has the shares of rows at least at each threshold, and rises from (0, 0) to (1, 1)', () => {
    const inputs = runs(200);
    let checked = 0;
    fc.assert(
      fc.property(given, ([ofClass = new Float64Array(), others = new Float64Array()]) => {
        const points = rocCurve(ofClass, others)?.points;
        // A class that all rows have, or none, has no curve.
        if (points === undefined) return;
        checked++;
        const thresholds = [...new Set([...ofClass, ...others])].sort((a, b) => b - a);
        const share = (values: Float64Array, threshold: number) =>
          values.filter(value => value >= threshold).length / values.length;
        const expected = thresholds.map(threshold => ({
          falsePositives: share(others, threshold),
          truePositives: share(ofClass, threshold),
        }));
        // So few rows that no point is left out of the drawing.
        assert.deepEqual(points, [{ falsePositives: 0, truePositives: 0 }, ...expected]);
      }),
      { numRuns: inputs },
    );
    assert.ok(checked > inputs / 4, `only ${checked} of ${inputs} were checked`);
  });

  it('is drawn with few points, however many rows there are', () => {
    const noise = Float64Array.from({ length: 20_000 }, (_, i) => (i * 7919) % 20_011);
    const curve = rocCurve(
      noise,
      noise.map(value => value * 0.9),
    );
    assert.ok((curve?.points.length ?? 0) < 310);
    assert.deepEqual(curve?.points.at(-1), { falsePositives: 1, truePositives: 1 });
  });
});

describe('a calibration curve', () => {
  it('has the rows, means and shares of each tenth', () => {
    fc.assert(
      fc.property(given, ([ofClass = new Float64Array(), others = new Float64Array()]) => {
        const bins = calibrationOf(ofClass, others);
        const isIn = (bin: number) => (value: number) =>
          value >= bin / 10 && (bin === 9 ? value <= 1 : value < (bin + 1) / 10);
        for (let bin = 0; bin < 10; bin++) {
          const right = ofClass.filter(isIn(bin));
          const all = [...right, ...others.filter(isIn(bin))];
          const found = bins.find(({ from }) => from === bin / 10);
          assert.equal(found?.rows ?? 0, all.length);
          if (found === undefined) continue;
          const mean = all.reduce((sum, value) => sum + value, 0) / all.length;
          assert.ok(Math.abs(found.predicted - mean) < 1e-6);
          assert.ok(Math.abs(found.actual - right.length / all.length) < 1e-6);
          assert.ok(found.low <= found.actual + 1e-6 && found.actual - 1e-6 <= found.high);
        }
      }),
    );
  });
});

describe('a confusion matrix', () => {
  const scored = fc.integer({ min: 2, max: 6 }).chain(classes =>
    fc
      .array(
        fc.record({
          label: fc.nat(classes - 1),
          scores: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: classes, maxLength: classes }),
        }),
        { maxLength: 50 },
      )
      .map(rows => ({ classes, rows })),
  );

  it('counts the rows by actual and most likely class', () => {
    fc.assert(
      fc.property(scored, ({ classes, rows }) => {
        const matrix = confusionOf({
          classes,
          labels: rows.map(({ label }) => label),
          probabilities: Float64Array.from(rows.flatMap(({ scores }) => scores)),
        });
        for (let actual = 0; actual < classes; actual++)
          for (let predicted = 0; predicted < classes; predicted++) {
            const count = rows.filter(
              ({ label, scores }) => label === actual && scores.indexOf(Math.max(...scores)) === predicted,
            ).length;
            assert.equal(matrix[actual]?.[predicted], count);
          }
        const sum = matrix.flat().reduce((total, count) => total + count, 0);
        assert.equal(sum, rows.length);
        assert.equal(
          correctRows(matrix),
          rows.filter(({ label, scores }) => scores.indexOf(Math.max(...scores)) === label).length,
        );
      }),
    );
  });
});
