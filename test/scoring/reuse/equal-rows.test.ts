import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Predictions } from '../../../src/base/contract/predictions.ts';
import { joinValues } from '../../../src/scoring/batch/join-predictions.ts';
import { CopiedRows } from '../../../src/scoring/reuse/copied-rows.ts';
import { EqualRows } from '../../../src/scoring/reuse/equal-rows.ts';
import { Results } from '../../../src/scoring/reuse/results.ts';
import { KEY_WORDS } from '../../../src/scoring/reuse/row-keys.ts';
import type { ScoredBatch } from '../../../src/scoring/scorer.ts';
import { numbers } from '../../support/scoring/predictions.ts';

const scored = (predictions: Predictions, rows: number): ScoredBatch => ({
  batch: {
    bytes: Buffer.alloc(rows),
    ends: Int32Array.from({ length: rows }, (_, row) => row + 1),
    kinds: new Uint8Array(rows),
    start: { offset: 0, row: 1, line: 1 },
    end: { offset: rows, row: rows + 1, line: rows + 1 },
    mayBeTruncated: false,
  } as unknown as ScoredBatch['batch'],
  faults: new Map(),
  predictions,
});

/** Rows whose keys are these numbers. */
const rowsOf = (...keys: number[]) => ({
  keys: Int32Array.from(keys.flatMap(key => Array.from({ length: KEY_WORDS }, () => key))),
  rows: keys.length,
  firstRow: 1,
  without: new Map(),
});

function resultsOf(copied: CopiedRows): number[] {
  return Array.from({ length: copied.rows }, (_, row) => copied.resultOf(row));
}

describe('EqualRows', () => {
  it('finds the first of equal rows, also in the same batch', () => {
    const equal = new EqualRows(new Results(1 << 20, undefined));
    const [first, second] = [new CopiedRows(3), new CopiedRows(2)];
    equal.find(rowsOf(7, 8, 7), 0, first);
    equal.find(rowsOf(9, 8), 2, second);
    assert.deepEqual([resultsOf(first), first.sent], [[-1, -1, 0], 2]);
    assert.deepEqual(resultsOf(second), [-1, 1]);
  });

  it('has as many rows as it may, and the last ones', () => {
    const equal = new EqualRows(new Results(1 << 20, undefined), 2);
    const copied = new CopiedRows(5);
    equal.find(rowsOf(1, 2, 3, 1, 3), 0, copied);
    assert.deepEqual(resultsOf(copied), [-1, -1, -1, -1, 2]);
  });

  it('finds no row whose result is forgotten, and none that has nothing to be found by', () => {
    const results = new Results(0, undefined);
    const equal = new EqualRows(results);
    equal.find(rowsOf(1), 0, new CopiedRows(1));
    results.add(scored(numbers([5]), 1));
    const copied = new CopiedRows(3);
    equal.find({ ...rowsOf(1, 2, 1), without: new Map([[2, {}]]) }, 1, copied);
    assert.deepEqual([resultsOf(copied), copied.sent], [[-1, -1, -1], 3]);
  });
});

describe('Results', () => {
  it('gives numbers, labels, and errors by their numbers, in any order', () => {
    const results = new Results(1 << 20, undefined);
    const errors = new Map<number, { code: string; message: string }>();
    results.add(scored({ ...numbers([1, 2]), errors: new Map([[1, { code: 'c', message: 'm' }]]) }, 2));
    results.add(scored(numbers([3]), 1));
    const joined = joinValues({ kind: 'numbers', names: [] }, [], 3);
    for (const [row, number] of [2, 0, 1].entries()) results.copyTo(number, joined, row, errors);
    assert.deepEqual(joined, { ...numbers([3, 1, Number.NaN]) });
    assert.deepEqual([...errors], [[2, { code: 'c', message: 'm' }]]);

    const labels = new Results(1 << 20, undefined);
    labels.add(
      scored({ kind: 'label', labels: ['b', 'a'], indices: Int32Array.of(1, 0), errors: new Map() }, 2),
    );
    const named = joinValues({ kind: 'label' }, [], 3);
    for (const [row, number] of [0, 1, 0].entries()) labels.copyTo(number, named, row, errors);
    assert.deepEqual(named, {
      kind: 'label',
      labels: ['a', 'b'],
      indices: Int32Array.of(0, 1, 0),
      errors: new Map(),
    });
  });

  it('keeps results over its limit for the rows that were found before, and no longer', () => {
    const results = new Results(0, undefined);
    const joined = joinValues({ kind: 'numbers', names: [] }, [], 1);
    results.add(scored(numbers([1]), 1));
    results.add(scored(numbers([2]), 1));
    assert.equal(results.keptFrom, 2);
    results.copyTo(0, joined, 0, new Map());
    results.dropBefore(1);
    assert.throws(() => results.copyTo(0, joined, 0, new Map()), /no result/);
    results.copyTo(1, joined, 0, new Map());
  });

  it('refuses predictions of another type than those before', () => {
    const results = new Results(0, { kind: 'label' });
    assert.throws(() => results.add(scored(numbers([1]), 1)), { code: 'wrong_answer' });
  });
});
