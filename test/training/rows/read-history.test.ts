import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { RowcastError } from '../../../src/base/errors.ts';
import { readRejectLimit } from '../../../src/base/options/values/reject-limit.ts';
import { RareClasses } from '../../../src/training/rows/labels.ts';
import { type HistoryOptions, MAX_ROWS } from '../../../src/training/rows/read-history.ts';
import { labelsOf } from '../../../src/training/rows/split-rows.ts';
import { slow } from '../../support/slow.ts';
import { historyOf } from './history-of.ts';

const read = (t: TestContext, text: string | Buffer, options: Partial<HistoryOptions> = {}) =>
  historyOf(t, { 'history.csv': text }, options);

test('rows with an empty label are left out, and counted', async t => {
  const { rows, column, notes } = await read(t, 'x,y\n1,a\n2,\n\n3," "\n4,b\n');
  assert.deepEqual(rows, [
    ['1', 'a'],
    ['4', 'b'],
  ]);
  assert.equal(column, 1);
  assert.deepEqual(notes, ['Left out 2 rows with an empty "y".']);
});

test('records may be as long as the limit', async t => {
  const long = 'x'.repeat(100_000);
  const { header, rows } = await read(t, `${long},y\n${long},a\n`, { maxRecordBytes: 100_010 });
  assert.deepEqual([header[0], rows], [long, [[long, 'a']]]);
});

test('fields are read unchanged: quoted, over several lines, and in any script', async t => {
  const { header, rows, notes } = await read(t, '\uFEFFy,"größe, m"\r\nja,"a ""b""\r\nc"\r\nはい,—');
  assert.deepEqual(header, ['y', 'größe, m']);
  assert.deepEqual(rows, [
    ['ja', 'a "b"\r\nc'],
    ['はい', '—'],
  ]);
  assert.deepEqual(notes, []);
});

slow('large training data is sampled, stratified by class', async t => {
  const lines = Array.from({ length: 150_000 }, (_, i) => `${i},${i % 50 === 0 ? 'rare' : 'frequent'}\n`);
  const text = `x,y\n${lines.join('')}`;
  const { rows, notes } = await read(t, text);
  assert.equal(rows.length, MAX_ROWS);
  assert.equal(rows.filter(([, label]) => label === 'rare').length, MAX_ROWS / 50);
  assert.deepEqual(notes, [
    'Trained on a sample of 100,000 of the 150,000 labelled rows, stratified by class.',
  ]);
  assert.deepEqual((await read(t, text)).rows, rows);
});

test('amounts as classes are refused before the end of the file', async t => {
  const lines = Array.from({ length: 12_000 }, (_, i) => `${i},${i}\n`);
  // A malformed record at the end is not reached.
  await assert.rejects(read(t, `x,y\n${lines.join('')}1,2,3\n`, { target: 'classes' }), {
    code: 'numeric_target',
    hint: /--bins 4/,
  });
  const names = lines.map(line => line.replace(',', ',c'));
  await assert.rejects(read(t, `x,y\n${names.join('')}1,2,3\n`), { code: 'too_many_classes' });
});

test('the places of very many labels are found for few of them, and for the first text', () => {
  const placed: string[] = [];
  const rare = new RareClasses();
  const numbers = Array.from({ length: 1000 }, (_, i) => String(i));
  for (const label of [...numbers, 'soon', '-1', ...numbers.map(number => `text ${number}`)])
    rare.see(label, () => {
      placed.push(label);
      return label;
    });
  assert.deepEqual(placed.slice(0, 102), [...numbers.slice(0, 101), 'soon']);
  assert.equal(placed.length, 201);
  assert.equal(rare.placeOf('soon'), 'soon');
});

test('numbers are accepted as classes with up to 20 values; with more, they are amounts', async t => {
  const lines = (values: number) => Array.from({ length: 60 }, (_, i) => `x,${i % values}.0\n`).join('');
  const { numbers, notes } = await read(t, `x,y\n${lines(21)}`);
  assert.equal(numbers?.length, 60);
  assert.match(notes[0] ?? '', /predicts a number, because "y" has more than 20 different ones.*--bins 4/);
  const refused = read(t, `x,y\n${lines(21)}`, { target: 'classes' });
  await assert.rejects(refused, { code: 'numeric_target', severity: 'refused' });
  assert.equal(new Set((await read(t, `x,y\n${lines(20)}`)).labels).size, 20);
});

test('labels are cleaned, and notes say so', async t => {
  const { labels, rows, notes } = await read(t, 'x,y\n1,p \n2,p\n3, 1.0\n4,1\n5,P\n6,N/A\n');
  assert.deepEqual(labels, ['p', 'p', '1', '1', 'P', 'N/A']);
  assert.deepEqual(rows[0], ['1', 'p ']);
  assert.deepEqual(notes, [
    'Removed the spaces around 2 labels of "y".',
    'Read 1 label of "y" as whole numbers, such as "1.0" as "1".',
    '"y" has the different classes p, P: write them the same way if they are one class.',
    '"y" has the class "N/A": leave these cells empty if their label is missing.',
  ]);
});

test('versions and codes are not changed', async t => {
  for (const labels of [
    ['1.0', '2.0', '2.1'],
    ['01', '1', 'x.0'],
  ])
    assert.deepEqual((await read(t, `x,y\n${labels.map(label => `1,${label}\n`).join('')}`)).labels, labels);
});

test('numbers are divided into ranges on request', async t => {
  const lines = Array.from({ length: 400 }, (_, i) => `${i},$${(i * 7) % 400}.50\n`).join('');
  const { labels, rows, notes } = await read(t, `x,y\n${lines}400,unknown\n`, { bins: 4 });
  const counts = new Map<string, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  assert.deepEqual(Object.fromEntries(counts), {
    'below 100.5': 100,
    '100.5 to 200.5': 100,
    '200.5 to 300.5': 100,
    '300.5 and above': 100,
  });
  assert.equal(rows.length, 400);
  assert.equal(labels[0], 'below 100.5');
  assert.deepEqual(notes, [
    'Divided "y" into 4 ranges with about the same number of rows: below 100.5, 100.5 to 200.5, 200.5 to 300.5, 300.5 and above.',
    'Left out 1 row whose "y" is not a number.',
  ]);
});

test('ranges are classes in the order of their bounds, not of their names', async t => {
  const lines = Array.from({ length: 100 }, (_, i) => `${i},"${(i * 37) % 1200},5"\n`).join('');
  const { labels, order, notes } = await read(t, `x,y\n${lines}`, { bins: 4 });
  const { classes } = labelsOf(labels, 'y', order);
  assert.deepEqual(classes, ['below 280.5', '280.5 to 592.5', '592.5 to 893.5', '893.5 and above']);
  assert.ok(notes.includes('The commas in "y" are read as decimal commas.'), notes.join());
});

test('equal numbers share a range, however many there are', async t => {
  const lines = Array.from({ length: 100 }, (_, i) => `${i},${i < 60 ? 0 : i}\n`).join('');
  const { labels } = await read(t, `x,y\n${lines}`, { bins: 4 });
  assert.deepEqual([...new Set(labels)], ['below 60', '60 to 75', '75 and above']);
});

test('texts cannot be divided into ranges', async t => {
  await assert.rejects(read(t, 'x,y\n1,a\n2,b\n', { bins: 4 }), { code: 'not_numbers' });
});

for (const [what, text, code] of [
  ['a row with an extra field', 'x,y\n1,a\n1,2,3\n', 'too_many_fields'],
  ['an unclosed quote', 'x,y\n1,a\n"2,b\n', 'unclosed_quote'],
] as const)
  test(`${what} is refused with its line number`, async t => {
    await assert.rejects(read(t, text), (error: RowcastError) => {
      assert.deepEqual([error.code, error.severity, error.location.line], [code, 'refused', 3]);
      return true;
    });
  });

test('a quoted field that may have swallowed rows gets a note', async t => {
  const { notes } = await read(t, `x,y\n1,a\n"2,b\n${'3,a\n'.repeat(120)}4",b\n`);
  assert.match(notes[0] ?? '', /^The quoted field that opens on line 3 has 122 lines and 485 bytes\./);
});

test('a first line that is probably a row is refused, even if the predicted column is in it', async t => {
  const text = '6,148,0.627,1\n1,85,0.351,0\n';
  await assert.rejects(read(t, text, { predict: '1' }), { code: 'bad_header', hint: /--names NAME,NAME,…/ });
  const named = await read(t, text, { names: ['a', 'b', 'c', 'y'] });
  assert.deepEqual([named.header, named.rows.length], [['a', 'b', 'c', 'y'], 2]);
  const chosen = await read(t, text, { predict: '1', features: ['6', '148'] });
  assert.equal(chosen.rows.length, 1);
});

test('text in another encoding is read with its name', async t => {
  const text = 'x,größe\nü,groß\n';
  for (const [encoding, bytes, hint] of [
    ['windows-1252', Buffer.from(text, 'latin1'), /--encoding windows-1252/],
    ['utf-16', Buffer.from(`\uFEFF${text}`, 'utf16le'), /--encoding utf-16/],
  ] as const) {
    await assert.rejects(read(t, bytes, { predict: 'größe' }), { code: 'bad_header', hint });
    assert.deepEqual((await read(t, bytes, { predict: 'größe', encoding })).rows, [['ü', 'groß']]);
  }
});

test('chosen texts are missing values, of features and of labels', async t => {
  const { rows, notes } = await read(t, 'x,z,y\n-1,p,a\n2,n.v.,b\n3,p,-1\n', { nulls: ['-1', 'n.v.'] });
  assert.deepEqual(rows, [
    ['', 'p', 'a'],
    ['2', '', 'b'],
  ]);
  assert.deepEqual(notes, ['Left out 1 row with an empty "y".']);
});

const upTo = (maxRejects: string): Partial<HistoryOptions> => ({ maxRejects: readRejectLimit(maxRejects) });

test('malformed rows are left out up to the limit, and a note counts them', async t => {
  const { rows, notes } = await read(t, 'x,y\n1,a\n1,2,3\n\n2\n3,b\n', upTo('2'));
  assert.deepEqual(rows, [
    ['1', 'a'],
    ['3', 'b'],
  ]);
  assert.deepEqual(notes, ['Left out 2 malformed rows: 1 × too_many_fields, 1 × too_few_fields.']);
});

test('one more malformed row is refused, with what is wrong with them', async t => {
  await assert.rejects(read(t, 'x,y\n1,a\n1,2,3\n2\n3,b\n', upTo('1')), {
    code: 'too_many_rejects',
    severity: 'refused',
    message: '2 of 3 rows are malformed: 1 × too_many_fields, 1 × too_few_fields',
    hint: /--max-rejects/,
  });
});

test('a percentage of few rows applies at their end', async t => {
  const text = `x,y\n9\n${'1,a\n'.repeat(60)}`;
  assert.equal((await read(t, text, upTo('2%'))).rows.length, 60);
  await assert.rejects(read(t, text, upTo('1%')), { code: 'too_many_rejects' });
});
