import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TypeChoice } from '../../../src/base/contract/limits.ts';
import { chosenType, learnColumn, learnColumns } from '../../../src/training/rows/learn-columns.ts';
import { checkChoices } from '../../../src/training/rows/split-rows.ts';

const values = (rows: number, of: (i: number) => string) => Array.from({ length: rows }, (_, i) => of(i));
const learn = (given: string[], type: TypeChoice) => learnColumn('x', given, type);

test('a column of numbers can be used as categories', () => {
  assert.deepEqual(
    learn(
      values(100, i => String(i % 2)),
      'categorical',
    ),
    {
      columns: [{ name: 'x', type: 'categorical', levels: ['0', '1'] }],
    },
  );
});

test('a column of codes can be used as numbers, and other texts are missing', () => {
  const codes = values(100, i => (i % 3 === 0 ? 'none yet' : `00${(i * 37) % 50}`));
  assert.deepEqual(learn(codes, 'numerical'), {
    columns: [{ name: 'x', type: 'numerical', notation: 'point' }],
  });
  const amounts = values(100, i => (i % 3 === 0 ? 'none yet' : `${(i * 37) % 50},5`));
  assert.deepEqual(learn(amounts, 'numerical'), {
    columns: [{ name: 'x', type: 'numerical', notation: 'comma' }],
  });
});

test('a column with a few dates can be used as dates', () => {
  const decision = learn(
    values(100, i => (i % 2 === 0 ? 'open' : `2024-01-${10 + (i % 19)}`)),
    'date',
  );
  assert.equal('columns' in decision && decision.columns[0]?.type, 'date');
});

test('dates are read in a chosen order of day and month, which is the remedy that the note of a guess names', () => {
  const dates = values(60, i => `0${1 + (i % 7)}/${10 + (i % 3)}/2025`);
  const column = { name: 'x', type: 'date', piece: 'day' };
  assert.deepEqual(learn(dates, 'date'), {
    columns: [{ ...column, order: 'mdy' }],
    note: '"x" holds dates, the month before the day: it is used as days since 1970. The values do not tell the order: if it is the day before the month, use --types x=date:dmy.',
  });
  assert.deepEqual(learn(dates, 'date:dmy'), {
    columns: [{ ...column, order: 'dmy' }],
    note: '"x" holds dates, the day before the month: it is used as days since 1970.',
  });
  assert.deepEqual(learn(dates, 'date:mdy'), {
    columns: [{ ...column, order: 'mdy' }],
    note: '"x" holds dates, the month before the day: it is used as days since 1970.',
  });
  const withPoints = learnColumn('start, in "UTC"', ['03.04.2025', '04.05.2025']);
  assert.match('note' in withPoints ? withPoints.note : '', /use --types COLUMN=date:mdy\.$/);
  const told = values(60, i => `${13 + (i % 7)}/${10 + (i % 3)}/2025`);
  assert.deepEqual(learn(told, 'date:mdy'), {
    leftOut:
      'none of its values is a date with the month before the day, or far more are dates with the day before the month',
  });
  const mostly = values(60, i => (i % 3 === 0 ? '03/11/2025' : `${13 + (i % 7)}/11/2025`));
  assert.ok('leftOut' in learn(mostly, 'date:mdy'));
  const once = values(60, i => (i === 0 ? '25/11/2025' : `0${1 + (i % 7)}/11/2025`));
  assert.ok('columns' in learn(once, 'date:mdy'));
});

test('a column without a value of the chosen type is left out', () => {
  const texts = values(100, i => ['red', 'blue'][i % 2] ?? '');
  assert.deepEqual(learn(texts, 'numerical'), { leftOut: 'none of its values is a number' });
  assert.deepEqual(learn(texts, 'date'), { leftOut: 'none of its values is a date' });
});

test('a chosen type does not make a useless column useful', () => {
  assert.deepEqual(learn(values(100, String), 'numerical'), {
    leftOut: 'it counts the rows, so it only identifies them',
    isCounter: true,
  });
  assert.deepEqual(learn(values(100, String), 'categorical'), {
    leftOut: 'all its values are distinct, so it only identifies rows',
  });
});

test('excluded columns are left out, with a note, whatever they are named', () => {
  for (const name of ['a', '__proto__', 'constructor', '<script>', '=1+1']) {
    const rows = values(100, String).map(i => [String((Number(i) * 37) % 50), i, String(Number(i) % 2)]);
    const learned = learnColumns([name, 'id', 'y'], rows, 2, { excludeFeatures: [name] });
    assert.deepEqual(learned.columns, []);
    assert.equal(learned.notes[0], `Left out "${name}": it was excluded.`);
  }
});

test('only chosen features are used, and an excluded one is not', () => {
  const rows = values(100, i => String((i * 37) % 50)).map((a, i) => [a, a, a, String(i % 2)]);
  const choices = { features: ['a', 'b'], excludeFeatures: ['b'] };
  const learned = learnColumns(['a', 'b', 'c', 'y'], rows, 3, choices);
  assert.deepEqual(
    learned.columns.map(({ name }) => name),
    ['a'],
  );
  assert.deepEqual(learned.notes, [
    'Left out "b": it was excluded.',
    'Left out "c": it is not one of the chosen features.',
  ]);
});

test('the predicted column cannot be a feature, and a misspelt feature gets a suggestion', () => {
  assert.throws(() => checkChoices(['a', 'y'], 'y', { features: ['a', 'y'] }), {
    code: 'bad_option',
    message: '--features: "y" is the column to predict',
  });
  assert.throws(() => checkChoices(['tenure', 'y'], 'y', { features: ['tenur'] }), {
    code: 'no_such_column',
    hint: /Did you mean "tenure"\?/,
  });
});

test('types are chosen for named columns only', () => {
  assert.equal(chosenType({ types: {} }, 'constructor'), undefined);
  assert.equal(chosenType({}, 'x'), undefined);
  assert.equal(chosenType({ types: Object.fromEntries([['__proto__', 'date']]) }, '__proto__'), 'date');
});
