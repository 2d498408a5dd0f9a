import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labelsOf, predictedColumn, splitRows } from '../../../src/training/rows/split-rows.ts';

const repeat = (label: string, times: number) => Array.from({ length: times }, () => label);

test('classes are sorted by code point, not by frequency or UTF-16 unit', () => {
  const labels = [...repeat('b', 30), ...repeat('\u{1F600}', 20), ...repeat('\uFF5E', 5), ...repeat('a', 5)];
  const { classes } = labelsOf(labels, 'y');
  assert.deepEqual(classes, ['a', 'b', '\uFF5E', '\u{1F600}']);
});

for (const [because, code, labels] of [
  ['fewer than 50 rows are labelled', 'too_few_rows', [...repeat('a', 25), ...repeat('b', 24)]],
  ['there is only one class', 'one_class', repeat('a', 60)],
] as const)
  test(`training is refused if ${because}`, () => {
    assert.throws(() => labelsOf(labels, 'y'), { code, severity: 'refused' });
  });

test('more than 100 classes are refused as amounts; 100 are accepted', () => {
  const labels = (classes: number) => Array.from({ length: 200 }, (_, i) => `c${i % classes}`);
  assert.throws(() => labelsOf(labels(101), 'y'), {
    code: 'too_many_classes',
    severity: 'refused',
    message: '"y" has more than 100 different values, too many for classes',
  });
  assert.equal(labelsOf(labels(100), 'y').classes.length, 100);
});

test('the error for a missing column lists all columns', () => {
  assert.throws(() => predictedColumn(['name', 'year'], 'churned'), {
    code: 'no_such_column',
    severity: 'refused',
    hint: 'The columns are: "name", "year".',
  });
});

test('the error for a missing column suggests similar names', () => {
  assert.throws(() => predictedColumn(['tenure', 'Churned', 'churn date'], 'chruned'), {
    hint: 'Did you mean "Churned"? The columns are: "tenure", "Churned", "churn date".',
  });
});

test('the error for a missing column says if only spaces around the name differ', () => {
  assert.throws(() => predictedColumn(['x', 'churned '], 'churned'), {
    hint: 'A column with different spaces around its name exists; spaces are part of a name. The columns are: "x", "churned ".',
  });
});

test('a predicted column with an ambiguous name is refused', () => {
  assert.throws(() => predictedColumn(['y', 'y'], 'y'), { code: 'ambiguous_column' });
});

test('a split contains every row once, 20% for testing and a fifth of the rest for validation', () => {
  const labels = Array.from({ length: 1000 }, (_, i) => (i % 4 === 0 ? 1 : 0));
  const { training, validation, testing } = splitRows(labels, 2, 1);
  assert.deepEqual([training.length, validation.length, testing.length], [640, 160, 200]);
  const all = [...training, ...validation, ...testing].sort((a, b) => a - b);
  assert.deepEqual(
    all,
    labels.map((_, i) => i),
  );
});

test('each part of a split has its share of every class', () => {
  const labels = Array.from({ length: 1000 }, (_, i) => (i % 10 === 0 ? 1 : 0));
  const { training, validation, testing } = splitRows(labels, 2, 3);
  const share = (part: number[]) => part.filter(row => labels[row] === 1).length;
  assert.ok(Math.abs(share(testing) - 20) <= 1);
  assert.ok(Math.abs(share(validation) - 16) <= 1);
  assert.ok(Math.abs(share(training) - 64) <= 2);
});

test('a class with a single row is in the training part', () => {
  const labels = [...Array.from({ length: 99 }, (_, i) => i % 2), 2];
  for (let seed = 0; seed < 20; seed++) assert.ok(splitRows(labels, 3, seed).training.includes(99));
});

test('the same seed gives the same split, another one a different split', () => {
  const labels = Array.from({ length: 200 }, (_, i) => i % 3);
  assert.deepEqual(splitRows(labels, 3, 5), splitRows(labels, 3, 5));
  assert.notDeepEqual(splitRows(labels, 3, 5), splitRows(labels, 3, 6));
});

test('so many classes that no row is left for testing are refused', () => {
  const labels = Array.from({ length: 60 }, (_, i) => i);
  assert.throws(() => splitRows(labels, 60, 1), { code: 'too_few_rows' });
});
