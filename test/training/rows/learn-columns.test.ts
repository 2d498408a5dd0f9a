import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnEncoderOf } from '../../../src/formats/columns/column-encoder.ts';
import { learnColumn, learnColumns } from '../../../src/training/rows/learn-columns.ts';
import { seededRandom } from '../../../src/training/seeded-random.ts';

const values = (rows: number, of: (i: number) => string) => Array.from({ length: rows }, (_, i) => of(i));
const learn = (given: string[]) => learnColumn('x', given);
const typeOf = (given: string[]) => {
  const decision = learn(given);
  return 'columns' in decision ? decision.columns[0]?.type : `left out: ${decision.leftOut}`;
};

for (const [what, type, given] of [
  [
    'numbers with spaces around them, and spaces as missing values,',
    'numerical',
    values(100, i => (i % 10 === 0 ? ' ' : ` ${(i * 37) % 50}.5 `)),
  ],
  [
    'numbers and a missing-value spelling',
    'numerical',
    values(100, i => (i % 10 === 0 ? 'N/A' : String((i * 37) % 50))),
  ],
  ...['inf', '-inf', 'Infinity'].map(
    infinite =>
      [
        `numbers and ${infinite}`,
        'numerical',
        values(100, i => (i === 7 ? infinite : `${(i * 37) % 100}.5`)),
      ] as const,
  ),
  [
    'dates and an all-zero one',
    'date',
    values(100, i => (i === 7 ? '0000-00-00' : `2024-01-${10 + (i % 19)}`)),
  ],
  ['codes with leading zeros', 'categorical', values(100, i => ['00420', '10115', '75001'][i % 3] ?? '')],
  ['distinct integer amounts', 'numerical', values(100, i => String(((i * 7919) % 10007) * 13))],
  ['booleans', 'categorical', values(100, i => (i % 3 === 0 ? 'true' : 'false'))],
] as const)
  test(`${what} make a ${type} column`, () => assert.equal(typeOf(given), type));

/** Numbers in no order, none of them twice. */
const scattered = (rows: number, low: number, high: number): string[] => {
  const random = seededRandom(3);
  const found = new Set<number>();
  while (found.size < rows) found.add(low + Math.floor(random() * (high - low)));
  return [...found].map(String);
};

for (const [what, given] of [
  ['of seven digits', scattered(1000, 1_000_000, 9_999_999)],
  ['of few digits, but many rows', scattered(1000, 1, 60_000)],
  ['of 32 bits', scattered(300, 0, 2 ** 31)],
  ['of 60 bits', values(100, i => String(9n ** 18n + BigInt((i * 37) % 100) * 7n ** 15n))],
  ['that pandas wrote as decimals', scattered(1000, 1_000_000, 9_999_999).map(text => `${text}.0`)],
  ['with missing values', [...scattered(1000, 1_000_000, 9_999_999), '', 'NA']],
] as const)
  test(`identifiers ${what}, in no order, are left out`, () => {
    assert.deepEqual(learn([...given]), {
      leftOut: 'all its values are distinct, so it only identifies rows',
    });
  });

test('distinct whole numbers are identifiers if their column is named so', () => {
  const given = values(100, i => String(1000 + ((i * 37) % 100) ** 2));
  for (const name of ['id', 'ID', 'customer_id', 'CustomerId', 'account no'])
    assert.ok('leftOut' in learnColumn(name, given), name);
  for (const name of ['x', 'paid', 'bid', 'casino', 'no'])
    assert.ok('columns' in learnColumn(name, given), name);
});

test('distinct whole numbers are amounts if they are rounded, uneven or few of many, or if that was chosen', () => {
  const ids = scattered(1000, 1_000_000, 9_999_999);
  const random = seededRandom(4);
  for (const given of [
    ids.map(text => `${text}0`),
    values(1000, () => String(Math.floor(Math.exp(8 + 12 * random())))).filter(
      (text, i, all) => all.indexOf(text) === i,
    ),
    scattered(100, 20_000, 150_000),
    scattered(60, 1000, 9999),
  ])
    assert.equal(typeOf(given), 'numerical');
  assert.ok('columns' in learnColumn('id', ids, 'numerical'));
});

test('distinct dates make a date column, with a note', () => {
  const given = values(100, i => (i % 10 === 0 ? 'N/A' : `2024-0${1 + (i % 9)}-${10 + (i % 19)}`));
  assert.deepEqual(learn(given), {
    columns: [{ name: 'x', type: 'date', order: 'ymd', piece: 'day' }],
    note: '"x" holds dates: it is used as days since 1970.',
  });
});

test('dates with times are used as days and hours of the day', () => {
  const decision = learn(values(100, i => `2024-0${1 + (i % 9)}-${10 + (i % 19)} 0${i % 10}:30`));
  assert.ok('columns' in decision);
  assert.deepEqual(
    decision.columns.map(column => column.type === 'date' && column.piece),
    ['day', 'hour'],
  );
  assert.match(decision.note ?? '', /days since 1970 and the hour of the day/);
});

test('day-first dates and two-digit years get a note that says how they are read', () => {
  const decision = learn(values(100, i => `${1 + (i % 28)}/0${1 + (i % 9)}/2${i % 4}`));
  assert.ok('columns' in decision);
  assert.deepEqual(decision.columns, [{ name: 'x', type: 'date', order: 'dmy', piece: 'day' }]);
  assert.match(
    decision.note ?? '',
    /the day before the month, some with two-digit years .*69 to 99 mean 1969/,
  );
});

test('the type of a column is that of nearly all of its values', () => {
  const amount = (i: number) => `${(i * 37) % 997}.5`;
  const day = (i: number) => `2024-01-${10 + (i % 19)}`;
  for (const [of, type] of [
    [amount, 'numerical'],
    [day, 'date'],
  ] as const) {
    assert.equal(typeOf(values(3000, i => (i === 7 ? 'unknown' : of(i)))), type);
    assert.equal(typeOf(values(3000, i => (i === 7 ? 'call me' : of(i)))), type);
    assert.equal(typeOf(values(100, i => (i < 5 ? `text ${i}` : of(i)))), type);
    assert.notEqual(typeOf(values(100, i => (i < 6 ? `text ${i}` : of(i)))), type);
  }
});

test('a code with leading zeros makes a column categorical only if the other numbers are as long', () => {
  assert.equal(typeOf(values(3000, i => (i === 7 ? '007' : String((i * 37) % 1000)))), 'numerical');
  assert.equal(typeOf(values(3000, i => (i === 7 ? '00420' : String(10_000 + (i % 700))))), 'categorical');
});

for (const [written, notation] of [
  ['1,234.50', 'point'],
  ['$220', 'point'],
  ['58.7%', 'point'],
  ['1 234', 'point'],
  ["1'234", 'point'],
  ['25,14', 'comma'],
  ['1.234,50 €', 'comma'],
  ['0,126', 'comma'],
  ['-0,126', 'comma'],
  ['0,126%', 'comma'],
  ['0.126', 'point'],
] as const)
  test(`amounts such as ${written} are numerical, with a decimal ${notation}`, () => {
    const given = values(100, i => written.replace('2', String(1 + (i % 9))).replace('8', String(i % 10)));
    const decision = learn([...given, ...given.map(text => text.replace(/\d/, '3'))]);
    assert.deepEqual('columns' in decision && decision.columns, [{ name: 'x', type: 'numerical', notation }]);
  });

const leftOut: [column: string, given: string[], because: RegExp][] = [
  ['unique texts', values(100, i => `customer-${i}`), /only identifies/],
  [
    'unique texts with numbers',
    values(100, i => (i % 10 === 0 ? `about ${i}` : `${i * 37}.5`)),
    /^90% of its distinct values are numbers; a numeric column needs 95%$/,
  ],
  ['unique codes with leading zeros', values(100, i => String(i * 37).padStart(6, '0')), /only identifies/],
  ['a counter of the rows', values(100, i => String(1000 + i)), /counts the rows/],
  ['a shuffled counter of the rows', values(100, i => String((i * 37) % 100)), /counts the rows/],
  ['free text', values(100, i => (i % 5 === 0 ? 'thanks' : `I called ${i} times`)), /free text/],
  ['an empty column', values(100, () => ' '), /empty/],
  ['a single text', values(100, () => 'EU'), /only one value/],
  ['a single number in several spellings', values(100, i => ['1', '1.0'][i % 2] ?? ''), /only one value/],
  [
    'a single day in several spellings',
    values(100, i => ['2024-01-02', '2024/01/02', 'N/A'][i % 3] ?? ''),
    /only one value/,
  ],
  ['spellings of a missing value', values(100, i => `n/a${' '.repeat(i % 60)}`), /distinct/],
  ['only rare values', values(100, i => `v${i % 40}`), /in 5 rows/],
];
for (const [column, given, because] of leftOut) {
  test(`${column} is left out`, () => {
    const decision = learn(given);
    assert.ok('leftOut' in decision);
    assert.match(decision.leftOut, because);
  });
}

test('levels are sorted by descending frequency, then by code point, without rare ones', () => {
  const given = [...values(20, () => 'b'), ...values(30, () => 'c'), ...values(20, () => 'a'), 'd', 'd'];
  assert.deepEqual(learn(given), {
    columns: [{ name: 'x', type: 'categorical', levels: ['c', 'a', 'b'] }],
  });
});

test('columns with an empty or duplicate name are left out', () => {
  const rows = values(60, String).map(i => [
    i,
    `${Number(i) % 7}.5`,
    `${Number(i) % 3}.5`,
    `${Number(i) % 5}.5`,
    'y',
  ]);
  const { columns, notes } = learnColumns(['', 'a', 'b', 'b', 'y'], rows, 4);
  assert.deepEqual(columns, [{ name: 'a', type: 'numerical', notation: 'point' }]);
  assert.deepEqual(notes, [
    'Left out column 1: it has no name.',
    'Left out "b": another column has the same name.',
    'Left out "b": another column has the same name.',
  ]);
});

test('a numerical column accepts numbers in any form; everything else is missing', () => {
  for (const notation of ['point', 'comma'] as const) {
    const encode = columnEncoderOf({ name: 'x', type: 'numerical', notation });
    assert.deepEqual([1.5, ' 1.5 ', '-3e2', '+4', '.5', true].map(encode), [1.5, 1.5, -300, 4, 0.5, 1]);
    for (const missing of [null, '', ' ', 'NaN', 'Infinity', 'N.A.', '0x10', '1e39', 1e300])
      assert.equal(encode(missing), null);
  }
});

test('a date column accepts dates; everything else is missing', () => {
  const encode = columnEncoderOf({ name: 'x', type: 'date', piece: 'day', order: 'dmy' });
  assert.deepEqual(['02.01.1970', ' 2/1/1970 12:00', '1970-01-02'].map(encode), [1, 1.5, 1]);
  for (const missing of [null, '', 'soon', '01/31/1970', 1, true]) assert.equal(encode(missing), null);
  const hour = columnEncoderOf({ name: 'x', type: 'date', piece: 'hour', order: 'dmy' });
  assert.deepEqual(['02.01.1970', ' 2/1/1970 12:30', 'soon', 12].map(hour), [0, 12.5, null, null]);
});

test('a categorical column takes texts verbatim, and numbers and booleans as text; unseen levels are missing', () => {
  const encode = columnEncoderOf({
    name: 'x',
    type: 'categorical',
    levels: ['Yes', '1', 'true', '__proto__'],
  });
  assert.deepEqual(['Yes', 1, '1', true, '__proto__'].map(encode), [1, 2, 2, 3, 4]);
  for (const missing of [null, '', ' ', 'yes', 'Y es', 'constructor', 2]) assert.equal(encode(missing), null);
});

test('a text with other spaces around it than a level is this level, unless it is one itself', () => {
  const encode = columnEncoderOf({
    name: 'x',
    type: 'categorical',
    levels: ['a', ' b', ' a', 'b ', ' True'],
  });
  assert.deepEqual(['a', ' a', 'a ', '\u00a0a\t'].map(encode), [1, 3, 1, 1]);
  // The most frequent spelling wins.
  assert.deepEqual(['b', ' b', 'b ', 'True', true].map(encode), [2, 2, 4, 5, 5]);
  const merged = columnEncoderOf({ name: 'x', type: 'categorical', levels: ['a'], others: 'merged' });
  assert.deepEqual([' a', 'A', ' '].map(merged), [1, 2, null]);
});

test('a boolean matches its spelling in the training data; a text stays verbatim', () => {
  const encode = columnEncoderOf({
    name: 'x',
    type: 'categorical',
    levels: ['FALSE', 'True', 'TRUE', 'falsely'],
  });
  assert.deepEqual([true, false, 'True', 'TRUE'].map(encode), [2, 1, 2, 3]);
  assert.equal(encode('true'), null);
  const both = columnEncoderOf({ name: 'x', type: 'categorical', levels: ['True', 'true'] });
  assert.equal(both(true), 2);
});
