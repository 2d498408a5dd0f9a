import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnValues, Designer } from '../../../../src/training/learn/features/design.ts';
import { lossOfClasses } from '../../../../src/training/learn/loss.ts';
import { select } from '../../../../src/training/learn/selection/search.ts';
import { seededRandom } from '../../../../src/training/seeded-random.ts';

const ROWS = 3000;

/**
 * The selection for labels that a straight line separates, except for some near it; trained on 2,400 rows and validated
 * on the others.
 */
function selected(totalWork?: number) {
  const random = seededRandom(6);
  const learning = Int32Array.from({ length: ROWS }, (_, row) => row);
  const [a, b] = [0, 1].map(() => Array.from({ length: ROWS }, random));
  const labels = Uint8Array.from(a ?? [], (value, row) =>
    value + (b?.[row] ?? 0) + (random() - 0.5) > 1 ? 1 : 0,
  );
  const columns = [a, b].map((values, i) =>
    columnValues(
      { name: `x${i}`, type: 'numerical', notation: 'point' },
      (values ?? []).map(String),
      learning,
    ),
  );
  const labelled = { labels, classes: 2 };
  return select({
    designer: new Designer(columns, labelled, learning, 1),
    labelled,
    losses: [lossOfClasses(2)],
    encodings: columns.map(() => ({ kind: 'own' }) as const),
    choices: [],
    folds: [{ training: learning.subarray(0, 2400), validation: learning.subarray(2400) }],
    seed: 1,
    ...(totalWork === undefined ? {} : { totalWork }),
  });
}

test('the best kind of model is selected, and all are compared on all rows', () => {
  const { candidate, compared } = selected();
  assert.equal(candidate.kind, 'linear');
  assert.deepEqual(new Set(compared.map(({ rows }) => rows)), new Set([2400]));
});

test('with a small budget all candidates are trained on a part of the rows, and only the best two on all rows', () => {
  const { candidate, compared } = selected(1e6);
  assert.equal(candidate.kind, 'linear');
  const rows = compared.map(each => each.rows);
  assert.deepEqual(rows, [1000, 1000, 1000, 2400, 2400]);
});
