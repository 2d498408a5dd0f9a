import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvLayout } from '../../../src/formats/csv/csv-layout.ts';
import { dataTally, describeCommonValues } from '../../../src/runs/drift/data-tally.ts';
import { type CountedColumn, countedColumns } from '../../../src/scoring/counting/counted-column.ts';
import { read } from '../../support/csv/read.ts';
import { job } from '../../support/scoring/job.ts';

const layout = csvLayout({ header: read('id,plan\n').head });
const plan: CountedColumn = {
  name: 'plan',
  index: 1,
  type: 'categorical',
  hasLevels: true,
  edges: [],
  levels: ['x'],
  learned: { name: 'plan', type: 'categorical', levels: ['x'] },
  training: undefined,
};
const describeIn = (records: string, column = plan, kind: 'unseen' | 'mismatched' = 'unseen') =>
  describeCommonValues(Buffer.from(records), column, kind, { layout, nulls: ['-'] });

test('the three most common values that the model does not know are named, the most common first', () => {
  const records =
    '1,a\n2,"b, c"\n3,x\n4," b"\n5,"b, c"\n6, x\n7,b\n8, b\n9,"b, c"\n10,\n11,-\n12,-\nmalformed\n';
  assert.equal(describeIn(records), 'the most common are "b, c", " b", "a"');
  assert.equal(describeIn('1,y\n2,y'), 'the most common is "y"');
  assert.equal(describeIn('1,x\n2,\n'), undefined);
});

test('a value is shown without control characters, and only its beginning if it is long', () => {
  assert.equal(describeIn('1,a\u001b[31mb\n'), String.raw`the most common is "a\u001b[31mb"`);
  assert.equal(
    describeIn(`1,${'long'.repeat(50)}\n`),
    `the most common is "${'long'.repeat(10).slice(0, 39)}…"`,
  );
});

test('values of another type are named, and not the spellings of missing ones', () => {
  const amount = {
    ...plan,
    type: undefined,
    learned: { name: 'plan', type: 'numerical', notation: 'point' },
  } as const;
  assert.equal(describeIn('1,12\n2,N/A\n3,abc\n4,-\n', amount, 'mismatched'), 'the most common is "abc"');
});

test('a run counts only what it may warn of, unless a summary asks for more', () => {
  const names = ['amount', 'plan', 'note'];
  const columns = [
    { name: 'amount', type: 'numerical' },
    { name: 'plan', type: 'categorical' },
  ];
  const report = { id: 'r', tech_specs: {}, drivers: [], columns };
  const features = names.map((name, index) => ({ name, index, type: undefined }));
  const plan = {
    report,
    counted: countedColumns(features, report),
    layout: csvLayout({ header: read('amount,plan,note\n').head }),
    values: job({ input: 'in.csv', output: 'out.csv' }),
  };
  const countedIn = (isDetailed: boolean) =>
    dataTally(plan, undefined, { isDetailed, earlier: undefined })?.counting.columns.map(({ name }) => name);
  // The categories of the plan are not known, and nothing is known of the note.
  assert.deepEqual(countedIn(false), ['amount']);
  assert.deepEqual(countedIn(true), names);
});
