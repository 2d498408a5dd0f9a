import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { notesOfNumbers } from '../../../../src/training/findings/numbers/number-notes.ts';
import { NumberStrata, tenthsOf } from '../../../../src/training/rows/numbers/number-labels.ts';
import { type HistoryOptions, MAX_ROWS } from '../../../../src/training/rows/read-history.ts';
import { slow } from '../../../support/slow.ts';
import { historyOf } from '../history-of.ts';

const read = (t: TestContext, labels: readonly string[], options: Partial<HistoryOptions> = {}) =>
  historyOf(t, { 'history.csv': `x,y\n${labels.map((label, i) => `${i},${label}\n`).join('')}` }, options);

const amounts = (rows: number) => Array.from({ length: rows }, (_, i) => String((i * 7) % 1000));

test('labels that are no numbers are left out, with the line of the first one', async t => {
  for (const rows of [60, 400]) {
    const labels = [...amounts(rows), 'soon', '', '5'];
    const { numbers, rows: kept, notes } = await read(t, labels);
    assert.equal(numbers?.length, rows + 1);
    assert.equal(kept.length, rows + 1);
    const where = `(the first one: line ${rows + 2})`;
    assert.deepEqual(notes.filter(note => note.startsWith('Left out')).toSorted(), [
      `Left out 1 row whose "y" is not a number ${where}.`,
      'Left out 1 row with an empty "y".',
    ]);
  }
});

test('numbers that single precision cannot hold are said to be too large', async t => {
  const { notes } = await read(t, [...amounts(60), '1e300'], { target: 'numbers' });
  assert.deepEqual(notes, [
    'Left out 1 row whose "y" is not a number or beyond ±3.4e38 (the first one: line 62).',
  ]);
});

test('a column of texts is refused as numbers, with the line of the first one', async t => {
  const texts = Array.from({ length: 300 }, (_, i) => `name ${i}`);
  for (const labels of [
    ['1', '2', 'a', 'b'],
    [...amounts(200), ...texts],
  ]) {
    const line = labels.findIndex(label => Number.isNaN(Number(label))) + 2;
    await assert.rejects(read(t, labels, { target: 'numbers' }), {
      code: 'not_numbers',
      message: new RegExp(`are not numbers \\(the first one: line ${line}\\)$`),
    });
  }
});

test('numbers that single precision cannot tell from 0 are refused, unless all are 0', async t => {
  const tiny = Array.from({ length: 60 }, (_, i) => `${i - 30}e-308`);
  await assert.rejects(read(t, tiny, { target: 'numbers' }), {
    code: 'not_numbers',
    message: /"y" has no number beyond ±1e-35/,
    hint: /^Multiply/,
  });
  assert.equal((await read(t, tiny.with(0, '1'), { target: 'numbers' })).numbers?.length, 60);
  assert.equal((await read(t, tiny.fill('0'), { target: 'numbers' })).numbers?.length, 60);
});

test('notes say that figures are of few rows, and that decimals of large numbers are lost', () => {
  const numbers = Array.from({ length: 60 }, (_, i) => i);
  assert.deepEqual(notesOfNumbers(numbers, 'y', 12), [
    'R² and errors are of only 12 testing rows, and may be far off.',
  ]);
  assert.deepEqual(notesOfNumbers(numbers, 'y', 30), []);
  const large = numbers.map(number => 1e7 * number + (number % 2 === 0 ? 0.25 : 0));
  assert.match(
    notesOfNumbers(large, 'y', 30).join('\n'),
    /^"y" is beyond ±16,777,216 and has decimals in 29 rows, but predictions have seven digits/,
  );
});

test('ranges and numbers exclude each other', async t => {
  await assert.rejects(read(t, amounts(60), { target: 'numbers', bins: 4 }), { code: 'bad_option' });
});

test('tenths have equally many numbers, and equal numbers are in the same one', () => {
  const { indexes, count } = tenthsOf(Array.from({ length: 50 }, (_, i) => 49 - i));
  assert.equal(count, 10);
  for (let tenth = 0; tenth < 10; tenth++) assert.equal(indexes.filter(index => index === tenth).length, 5);
  assert.deepEqual(tenthsOf([0, 0, 0, 0, 0, 0, 0, 0, 1, 2]), {
    indexes: [0, 0, 0, 0, 0, 0, 0, 0, 1, 2],
    count: 3,
  });
  assert.equal(
    new NumberStrata(
      new Map([
        ['1', 5],
        ['2,5', 5],
        ['x', 1],
      ]),
    ).of('nothing'),
    undefined,
  );
});

slow('a sample of many rows has the tenths of the number in their proportions', async t => {
  const labels = Array.from({ length: 250_000 }, (_, i) =>
    i % 10 === 0 ? String(1e6 + i) : String(i % 997),
  );
  const { numbers = [], rows, notes } = await read(t, labels);
  assert.ok(Math.abs(rows.length - MAX_ROWS) < 10);
  const large = numbers.filter(number => number >= 1e6).length;
  assert.ok(Math.abs(large - MAX_ROWS / 10) < 300, String(large));
  assert.ok(notes.some(note => note.endsWith('labelled rows, stratified by tenths of the number.')));
});
