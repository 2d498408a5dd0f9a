import '../../support/random-tests.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  changeOf,
  compareSummaries,
  type EarlierColumn,
  type EarlierFigures,
  indexOfChance,
  stabilityIndex,
} from '../../../src/runs/drift/compare.ts';
import { driftLine } from '../../../src/runs/observers/drift.ts';

const column = (name: string, more: Partial<EarlierColumn> = {}): EarlierColumn => ({
  name,
  missing: 0,
  mismatched: 0,
  unseen: 0,
  ranges: null,
  categories: null,
  ...more,
});
const numbers = (edges: number[], rows: number[]) => ({ ranges: { edges, rows } });
const categories = (names: string[], rows: number[], others = 0) => ({ categories: { names, rows, others } });

const earlier = (more: Partial<EarlierFigures> = {}): EarlierFigures => ({
  file: 'last.json',
  run_id: '1',
  started_at: '2026-01-30T02:00:00.000Z',
  input: 'in.csv',
  report: 'r',
  rows: { read: 100 },
  columns: [],
  scores: {},
  labels: null,
  ...more,
});
const none = { scores: [], labels: null };

describe('a comparison', () => {
  it('has an index for each column whose bins are the same, with missing and unknown values', () => {
    const before = earlier({
      columns: [
        column('a', numbers([1], [50, 50])),
        column('b', categories(['x', 'y'], [60, 30], 10)),
        column('c', { ...numbers([1], [50, 50]), missing: 100 }),
        column('gone', numbers([1], [1, 1])),
      ],
    });
    const { columns, compared_with } = compareSummaries(before, {
      ...none,
      columns: [
        column('a', numbers([1], [500, 500])),
        column('b', { ...categories(['x', 'y'], [20, 30], 10), unseen: 40 }),
        column('c', { ...numbers([1], [50, 50]), missing: 60 }),
      ],
    });
    assert.deepEqual(
      columns.map(({ name, change }) => [name, change]),
      [
        ['a', 'none'],
        ['b', 'significant'],
        ['c', 'none'],
      ],
    );
    assert.equal(columns[0]?.psi, 0);
    assert.deepEqual(compared_with, {
      summary: 'last.json',
      run_id: '1',
      started_at: '2026-01-30T02:00:00.000Z',
      input: 'in.csv',
      rows: 100,
    });
  });

  it('has null for columns with other bins, because the report was trained again, or without any', () => {
    const before = earlier({
      columns: [
        column('a', numbers([1], [5, 5])),
        column('b', categories(['x'], [5])),
        column('c', categories(['1'], [5])),
        column('d'),
      ],
    });
    const now = [
      column('a', numbers([2], [5, 5])),
      column('b', categories(['y'], [5])),
      column('c', numbers([1], [5, 5])),
      column('d'),
      column('new', numbers([1], [5, 5])),
    ];
    const { columns } = compareSummaries(before, { ...none, columns: now });
    assert.deepEqual(new Set(columns.map(({ psi, change }) => `${psi} ${change}`)), new Set(['null null']));
    assert.equal(columns.length, 5);
  });

  it('counts the probabilities of a class in the ranges of the earlier run', () => {
    const asked: unknown[] = [];
    const { scores } = compareSummaries(
      earlier({
        scores: {
          yes: { kind: 'probability', ranges: { edges: [0.5], rows: [90, 10] } },
          other: { kind: 'probability', ranges: { edges: [], rows: [1] } },
        },
      }),
      {
        columns: [],
        labels: null,
        scores: ['no', 'yes'].map(name => ({
          name,
          kind: 'probability',
          rowsBetween: edges => {
            asked.push([name, edges]);
            return [60, 40];
          },
        })),
      },
    );
    assert.deepEqual(asked, [['yes', [0.5]]]);
    assert.deepEqual(scores.no, { kind: 'probability', psi: null, change: null, chance: null });
    assert.deepEqual(scores.yes, { kind: 'probability', psi: 0.5375, change: 'significant', chance: 0.3244 });
  });
});

describe('the line about a comparison', () => {
  const entry = (psi: number | null) =>
    ({
      psi,
      chance: psi === null ? null : 0.001,
      change: psi === null ? null : psi >= 0.25 ? 'significant' : psi >= 0.1 ? 'moderate' : 'none',
    }) as const;
  const lineOf = (columns: Record<string, number | null>, scores: Record<string, number | null> = {}) =>
    driftLine({
      compared_with: { summary: 'last.json', run_id: '', started_at: '', input: '', rows: 1 },
      columns: Object.entries(columns).map(([name, psi]) => ({ name, ...entry(psi) })),
      scores: Object.fromEntries(
        Object.entries(scores).map(([name, psi]) => [name, { kind: 'probability' as const, ...entry(psi) }]),
      ),
      labels: null,
    });

  it('names the three that have changed most', () => {
    assert.deepEqual(lineOf({ a: 0.12, 'b\n': 0.31, c: 0.02, d: 0.11 }, { yes: 0.27, no: 0.1 }), {
      line: 'compared with last.json: significant change in "b" (PSI 0.31), the probability of "yes" (PSI 0.27); moderate change in "a" (PSI 0.12); and in 2 more',
      isWarning: true,
      psi: 0.31,
    });
  });

  it('also says that nothing has changed, and what could not be compared', () => {
    assert.deepEqual(lineOf({ a: 0.02, day: null }, { yes: 0.03 }), {
      line: 'compared with last.json: no significant change; most in the probability of "yes" (PSI 0.03); 1 of 3 cannot be compared',
      isWarning: false,
      psi: 0.03,
    });
    const { line, isWarning } = lineOf({ a: null });
    assert.match(line, /nothing can be compared/);
    assert.ok(isWarning);
  });
});

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
