import assert from 'node:assert/strict';
import { test } from 'node:test';
import { looseReport } from '../../../src/base/contract/schemas.ts';
import { profileOf, scoresOf } from '../../../src/training/findings/training-profile.ts';
import { quantile } from '../../../src/training/learn/evaluation.ts';

const profile = (rows: string[][], columns: Parameters<typeof profileOf>[0]['columns']) => ({
  ...profileOf({ columns, indexes: columns.map((_, i) => i), rows }),
  scores: scoresOf(['no', 'yes'], Float64Array.from([0.9, 0.1, 0.5, 0.5, 0.2, 0.8])),
});

test('a profile counts what each column has none of, and knows its categories', () => {
  const rows = [
    ['1.5', 'red', '2024-01-02'],
    ['N/A', 'blue', 'soon'],
    ['', ' ', ''],
    ['two', 'mauve', '2024-01-03'],
    ['2.5', 'red', '2024-02-30'],
  ];
  const { columns, scores, ...rest } = profile(rows, [
    { name: 'amount', type: 'numerical', notation: 'point' },
    { name: 'colour', type: 'categorical', levels: ['red', 'blue'], others: 'merged' },
    { name: 'since', type: 'date', order: 'ymd', piece: 'day' },
    { name: 'since', type: 'date', order: 'ymd', piece: 'hour' },
  ]);
  assert.deepEqual(rest, { rows: 5 });
  assert.deepEqual(columns, [
    { name: 'amount', missing: 2, mismatched: 1, unseen: 0, mean: 2, edges: [1.5, 2.5] },
    { name: 'colour', missing: 1, mismatched: 0, unseen: 1, levels: ['red', 'blue'] },
    { name: 'since', missing: 1, mismatched: 2, unseen: 0, date_order: 'ymd' },
  ]);
  assert.deepEqual(scores[1], {
    class: 'yes',
    mean: 0.466667,
    // The same as numpy.quantile([0.1, 0.5, 0.8], [0.1, …, 0.9]).
    deciles: [0.18, 0.26, 0.34, 0.42, 0.5, 0.56, 0.62, 0.68, 0.74],
  });
});

test('the edges of a column of many numbers are its deciles', () => {
  const rows = Array.from({ length: 1000 }, (_, i) => [String((i * 37) % 1000)]);
  const { columns } = profile(rows, [{ name: 'x', type: 'numerical', notation: 'point' }]);
  assert.deepEqual(columns[0]?.edges, [100, 200, 300, 400, 500, 600, 700, 800, 900]);
});

test('very many categories are not listed', () => {
  const levels = Array.from({ length: 1001 }, (_, i) => `level ${i}`);
  const { columns } = profile([['x']], [{ name: 'a', type: 'categorical', levels }]);
  assert.equal(columns[0]?.levels, undefined);
});

test('a quantile lies between the two nearest numbers', () => {
  assert.equal(quantile(Float64Array.of(7), 0.3), 7);
  assert.equal(quantile(Float64Array.of(0, 10), 0.25), 2.5);
});

test('a hosted report may call something else a profile', () => {
  const { profile } = looseReport.parse({ tech_specs: {}, drivers: [], profile: 'of a company' });
  assert.equal(profile, undefined);
});
