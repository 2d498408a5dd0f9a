import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compare } from '../../../src/runs/drift/compare.ts';
import { driftLine } from '../../../src/runs/drift/drift-line.ts';
import type { EarlierColumn, EarlierFigures } from '../../../src/runs/drift/earlier-figures.ts';

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
  ...more,
});
const none = { classes: [], rowsOf: () => undefined };

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
    const { columns, compared_with } = compare(before, {
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
    const { columns } = compare(before, { ...none, columns: now });
    assert.deepEqual(new Set(columns.map(({ psi, change }) => `${psi} ${change}`)), new Set(['null null']));
    assert.equal(columns.length, 5);
  });

  it('counts the probabilities of a class in the ranges of the earlier run', () => {
    const asked: unknown[] = [];
    const { scores } = compare(
      earlier({
        scores: {
          yes: { ranges: { edges: [0.5], rows: [90, 10] } },
          other: { ranges: { edges: [], rows: [1] } },
        },
      }),
      {
        columns: [],
        classes: ['no', 'yes'],
        rowsOf: (name, edges) => {
          asked.push([name, edges]);
          return [60, 40];
        },
      },
    );
    assert.deepEqual(asked, [['yes', [0.5]]]);
    assert.deepEqual(scores.no, { psi: null, change: null, chance: null });
    assert.deepEqual(scores.yes, { psi: 0.5375, change: 'significant', chance: 0.3244 });
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
      scores: Object.fromEntries(Object.entries(scores).map(([name, psi]) => [name, entry(psi)])),
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
