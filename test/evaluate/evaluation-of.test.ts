import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { EvaluationFigures } from '../../src/evaluate/evaluation.ts';
import { evaluationShape } from '../../src/evaluate/evaluation.ts';
import { evaluationOf } from '../../src/evaluate/evaluation-of.ts';
import { ClassTally } from '../../src/evaluate/statistics/class-tally.ts';
import { NumberTally } from '../../src/evaluate/statistics/number-tally.ts';
import { SegmentTallies } from '../../src/evaluate/statistics/segment-tallies.ts';
import { root } from '../support/root.ts';
import { slow } from '../support/slow.ts';
import { classSets, classTallyOf, numberSets, numberTallyOf, uniform } from './data-sets.ts';
import { facts } from './facts.ts';

interface Expected {
  figures: Record<string, Record<'value' | 'low' | 'high', number | null>>;
  confusion?: number[][];
  by_class?: {
    figures: Expected['figures'];
    /** Rows, mean prediction, share, its interval. */
    calibration: number[][];
    /** Captured, lift, cumulative lift. */
    gains: number[][];
  }[];
  /** Rows, means of prediction and actual number, bias, its interval, mean absolute error, RMSE. */
  deciles?: (number | null)[][];
}

const reference: Record<string, Expected> & { coverage: { chi_squared: number; labelled: number[] } } =
  JSON.parse(readFileSync(join(root, 'test/evaluate/reference.json'), 'utf8'));

/**
 * How far figures may be from the exact ones: those of at most 65,536 rows are rounded to ten digits; those of more rows
 * count scores in bins if they are here.
 */
const [EXACT, BINNED] = [1e-9, 2e-7];
const KEPT = 65_536;
const bounds: Readonly<Record<string, number>> = {
  ks: 2e-5,
  calibration_error: 2e-6,
  calibration: 1e-4,
  gains: 1e-4,
  median_error: 2 ** -13,
  deciles: 2e-3,
};
const boundOf = (name: string, rows: number): number => (rows > KEPT ? (bounds[name] ?? BINNED) : EXACT);

function close(actual: number | null, expected: number | null, bound: number, what: string): void {
  if (actual === null || expected === null) {
    assert.equal(actual, expected, what);
    return;
  }
  const difference = Math.abs(actual - expected);
  assert.ok(difference <= bound * Math.max(1, Math.abs(expected)), `${what}: ${actual}, not ${expected}`);
}

function closeFigures(actual: EvaluationFigures, expected: Expected['figures'], rows: number): void {
  assert.deepEqual(Object.keys(actual).sort(), Object.keys(expected).sort());
  for (const [name, { value, low, high }] of Object.entries(expected)) {
    const own = actual[name];
    close(own?.value ?? null, value, boundOf(name, rows), name);
    close(own?.low ?? null, low, boundOf(name, rows), `${name}, low`);
    close(own?.high ?? null, high, boundOf(name, rows), `${name}, high`);
  }
}

const closeTable = (
  actual: readonly (readonly (number | null)[])[],
  expected: readonly (readonly (number | null)[])[],
  rows: number,
  what: string,
): void => {
  assert.equal(actual.length, expected.length, what);
  for (const [i, row] of expected.entries())
    for (const [j, value] of row.entries())
      close(actual[i]?.[j] ?? null, value, boundOf(what, rows), `${what} ${i}, ${j}`);
};

describe('the figures are those of scikit-learn, SciPy and pROC', () => {
  for (const [name, set] of Object.entries(classSets))
    (set.rows > 1_000_000 ? slow : it)(`of the set "${name}"`, () => {
      const expected = reference[name];
      assert.ok(expected);
      const evaluation = evaluationShape.parse(evaluationOf(classTallyOf(set), facts));
      closeFigures(evaluation.figures, expected.figures, set.rows);
      assert.deepEqual(evaluation.confusion, expected.confusion);
      for (const [i, { figures, calibration, gains }] of (expected.by_class ?? []).entries()) {
        const own = evaluation.by_class[i];
        assert.ok(own);
        closeFigures(own.figures, figures, set.rows);
        closeTable(
          own.calibration.map(bin => [bin.predicted, bin.actual, bin.low, bin.high]),
          calibration.map(bin => bin.slice(1)),
          set.rows,
          'calibration',
        );
        closeTable(
          own.gains.map(gain => [gain.captured, gain.lift, gain.cumulative_lift]),
          gains,
          set.rows,
          'gains',
        );
      }
    });

  for (const [name, set] of Object.entries(numberSets))
    it(`of the set "${name}"`, () => {
      const expected = reference[name];
      assert.ok(expected);
      const evaluation = evaluationShape.parse(evaluationOf(numberTallyOf(set), facts));
      closeFigures(evaluation.figures, expected.figures, set.rows);
      const deciles = evaluation.deciles ?? [];
      closeTable(
        deciles.map(({ predicted, actual, bias, mae, rmse }) => [
          predicted,
          actual,
          bias.value,
          bias.low,
          bias.high,
          mae,
          rmse,
        ]),
        (expected.deciles ?? []).map(decile => decile.slice(1)),
        set.rows,
        'deciles',
      );
    });
});

describe('an evaluation', () => {
  const labelled = (rows: readonly (readonly [probability: number, actual: 0 | 1])[]): ClassTally => {
    const tally = new ClassTally(['no', 'yes']);
    for (const [p, actual] of rows)
      tally.addLabelled({ values: Float64Array.of(1 - p, p), label: -1 }, actual);
    return tally;
  };

  it('says that early labels are not a fair part of the rows', () => {
    const tally = new ClassTally(['no', 'yes']);
    for (let i = 0; i < 4000; i++) {
      const [p, u, v] = [uniform(90, i), uniform(91, i), uniform(92, i)];
      const row = { values: Float64Array.of(1 - p, p), label: -1 };
      if (u < 0.3 + 0.3 * p * v) tally.addLabelled(row, 0);
      else tally.addUnlabelled(row);
    }
    const { coverage, warnings } = evaluationOf(tally, facts);
    assert.deepEqual(
      coverage.parts.map(part => part.labelled),
      reference.coverage.labelled,
    );
    close(coverage.chi_squared, reference.coverage.chi_squared, EXACT, 'chi-squared');
    assert.equal(coverage.fair, false);
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ['unfair_labels'],
    );
  });

  it('of a fair part has no warning', () => {
    const tally = new ClassTally(['no', 'yes']);
    for (let i = 0; i < 2000; i++) {
      const row = { values: Float64Array.of(1 - uniform(1, i), uniform(1, i)), label: -1 };
      if (i % 3 === 0) tally.addLabelled(row, i % 2);
      else tally.addUnlabelled(row);
    }
    const { coverage, warnings } = evaluationOf(tally, facts);
    assert.equal(coverage.fair, true);
    assert.deepEqual(warnings, []);
  });

  it('without labels says why it has no figures', () => {
    const tally = new ClassTally(['no', 'yes']);
    tally.addUnlabelled({ values: Float64Array.of(0.4, 0.6), label: 1 });
    const { figures, coverage, warnings } = evaluationShape.parse(evaluationOf(tally, facts));
    assert.deepEqual(figures.auc, { value: null, low: null, high: null, reason: 'no row has a label' });
    assert.equal(figures.log_loss?.reason, 'no row has a label');
    assert.deepEqual([coverage.rows, coverage.labelled], [1, 0]);
    assert.equal(warnings[0]?.code, 'no_labels');
    const numbers = evaluationOf(new NumberTally(), facts);
    assert.deepEqual([numbers.figures.rmse?.value, numbers.coverage.share.value], [null, null]);
  });

  it('says why rows of one class have no AUC', () => {
    const { figures } = evaluationOf(labelled([[0.2, 1]]), facts);
    assert.equal(figures.auc?.reason, 'all rows have the class');
  });

  it('uses the predicted class of the file, which a threshold may have decided', () => {
    const tally = new ClassTally(['no', 'yes']);
    tally.addLabelled({ values: Float64Array.of(0.8, 0.2), label: 1 }, 1);
    assert.equal(evaluationOf(tally, facts).figures.accuracy?.value, 1);
  });

  it('of labels has the figures that need no probabilities', () => {
    const tally = new ClassTally(['a', 'b', 'c'], { hasProbabilities: false });
    const values = new Float64Array();
    for (const [label, actual] of [
      [0, 0],
      [0, 1],
      [2, 2],
      [-1, 2],
    ] as const)
      tally.addLabelled({ values, label }, actual);
    const { figures, by_class: byClass, coverage } = evaluationShape.parse(evaluationOf(tally, facts));
    assert.equal(figures.accuracy?.value, 0.6666666667);
    assert.equal(figures.auc?.reason, 'only labels were predicted');
    assert.deepEqual(
      byClass.map(({ figures: own }) => own.precision?.value),
      [0.5, null, 1],
    );
    assert.deepEqual([coverage.rows, coverage.invalid], [3, 1]);
  });

  it('of parts that were counted apart is that of all rows, in any order', () => {
    for (const name of ['rare', '20 classes'] as const) {
      const set = classSets[name];
      assert.ok(set);
      const rows = set.rows;
      const part = (from: number, to: number) => classTallyOf({ ...set, rows: to }, from, to);
      const merged = part(rows / 2, rows);
      merged.merge(part(0, rows / 4));
      merged.merge(part(rows / 4, rows / 2));
      assert.deepEqual(evaluationOf(merged, facts), evaluationOf(classTallyOf(set), facts), name);
    }
  });

  it('of more rows than are kept is that of all rows, if parts are merged', () => {
    const set = numberSets['300,000 numbers'];
    assert.ok(set);
    const merged = numberTallyOf({ ...set, rows: 20 });
    merged.merge(numberTallyOf(set, 20));
    assert.deepEqual(evaluationOf(merged, facts).figures, evaluationOf(numberTallyOf(set), facts).figures);
  });

  it('has figures by segment, and one for the values after the first 50', () => {
    const segments = new SegmentTallies('plan', size => new NumberTally({ size }));
    for (let i = 0; i < 120; i++)
      segments.of(`plan ${i % 60}`).addLabelled({ values: Float64Array.of(i), label: -1 }, i + 1);
    const [plan] = evaluationShape.parse(evaluationOf(new NumberTally(), facts, [segments])).segments;
    assert.equal(plan?.values.length, 51);
    assert.deepEqual([plan?.values[0]?.value, plan?.values[0]?.labelled], ['plan 0', 2]);
    assert.deepEqual([plan?.values[50]?.value, plan?.values[50]?.labelled], [null, 20]);
    assert.equal(plan?.values[50]?.figures.bias?.value, -1);
  });

  it('has its segments by value, numbers by size, whatever the order of the rows', () => {
    const order = (rows: string[]): unknown => {
      const segments = new SegmentTallies('month', size => new NumberTally({ size }));
      for (const each of rows) segments.of(each).addLabelled({ values: Float64Array.of(1), label: -1 }, 1);
      return evaluationOf(new NumberTally(), facts, [segments]).segments[0]?.values.map(({ value }) => value);
    };
    assert.deepEqual(order(['2026-12', '2026-02', '2026-11']), ['2026-02', '2026-11', '2026-12']);
    assert.deepEqual(order(['10', '9', '-1']), ['-1', '9', '10']);
  });

  it('shows an earlier one beside it, with the interval of the difference', () => {
    const before = evaluationOf(
      labelled([...new Array(56).fill([0.9, 1]), ...new Array(14).fill([0.9, 0])]),
      facts,
    );
    const now = labelled([...new Array(48).fill([0.9, 1]), ...new Array(32).fill([0.9, 0])]);
    const { earlier } = evaluationOf(now, {
      ...facts,
      earlier: { name: 'september.json', evaluation: before },
    });
    // Newcombe, Interval estimation for the difference between independent proportions (1998), example (a), method 10.
    const { value, low, high } = earlier?.differences.accuracy ?? {};
    assert.deepEqual(
      [value?.toFixed(4), low?.toFixed(4), high?.toFixed(4)],
      ['-0.2000', '-0.3339', '-0.0524'],
    );
    assert.equal(earlier?.figures.accuracy?.value, 0.8);
    assert.equal(earlier?.differences.auc?.value, 0);
  });
});
