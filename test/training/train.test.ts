import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { report as reportShape } from '../../src/base/contract/schemas.ts';
import { defaultId, trainReport } from '../../src/training/train.ts';
import { history, homeWith, trainClasses } from '../support/service/history.ts';
import { slow } from '../support/slow.ts';

test('training writes a report that matches the contract, with columns, drivers and notes', async () => {
  const table = history({ rows: 600 });
  const { home, historyFile } = await homeWith([...table, ['x', '1', 'Basic', '1', '']]);
  const steps: string[] = [];
  const onStep = (step: string) => steps.push(step);
  const report = await trainReport({ historyFile, predict: 'outcome', home, id: 'churn', onStep });
  assert.ok(steps.length > 1, steps.join());
  reportShape.parse(report);
  assert.equal(report.id, 'churn');
  assert.equal(report.predicts, 'outcome');
  assert.deepEqual(report.classes, ['No', 'Yes']);
  assert.deepEqual(report.columns, [
    { name: 'monthly amount', type: 'numerical' },
    { name: 'plan', type: 'categorical' },
    { name: '__proto__', type: 'numerical' },
  ]);
  assert.deepEqual(Object.keys(report.tech_specs), [
    'algorithm',
    'testing_accuracy',
    'train_test_split',
    'training_accuracy',
    'validation_accuracy',
  ]);
  assert.match(report.tech_specs.testing_accuracy, /^\d+\.\d%$/);
  assert.equal(report.quality?.testing_rows, 120);
  assert.equal(`${(100 * (report.quality?.accuracy ?? 0)).toFixed(1)}%`, report.tech_specs.testing_accuracy);
  assert.equal(
    report.quality?.confusion?.flat().reduce((sum, rows) => sum + rows, 0),
    120,
  );
  for (const bins of report.quality?.calibration ?? [])
    assert.equal(
      bins.reduce((sum, { rows }) => sum + rows, 0),
      120,
    );
  const [warning, ...others] = report.warnings ?? [];
  assert.deepEqual([warning?.code, others], ['leak', []]);
  assert.match(
    warning?.message ?? '',
    /^"monthly amount" decides nearly everything, with 9\d\.\d% of the impact of all columns/,
  );
  assert.equal(report.profile?.rows, 600);
  assert.deepEqual(
    report.profile?.columns.map(({ name }) => name),
    report.columns.map(({ name }) => name),
  );
  assert.equal(report.drivers[0]?.column, 'monthly amount');
  assert.ok(Math.abs(report.drivers.reduce((sum, { impact }) => sum + impact, 0) - 1) < 1e-9);
  assert.ok(report.notes.includes('Left out 1 row with an empty "outcome".'));
  assert.ok(report.notes.some(note => note.startsWith('Left out "customer"')));
  // Two kinds of trees, linear models with three penalties, and, if trees are best, the best trees with a smaller
  // learning rate.
  const compared = report.notes.flatMap(note => /^Candidate, trained on (\d+) rows: /.exec(note)?.[1] ?? []);
  assert.equal(compared.length, report.tech_specs.algorithm === 'logistic regression' ? 5 : 6);
  assert.deepEqual(new Set(compared), new Set(['384']), 'four fifths of the 480 rows not used for testing');
});

slow('the testing results contain the rows unchanged and agree with the tech specs', async () => {
  const table = history({ rows: 400, classes: ['é', '10', '9'] });
  const { home, historyFile } = await homeWith(table);
  const report = await trainReport({ historyFile, predict: 'outcome', home, id: 'r' });
  assert.deepEqual(report.classes, ['10', '9', 'é']);
  const text = await readFile(join(home, 'reports', 'r', 'testing-results.csv'), 'utf8');
  const [header, ...rows] = parse(text) as string[][];
  assert.deepEqual(header, [
    ...(table[0] ?? []),
    'actual_outcome',
    'predicted_outcome',
    'probability_10',
    'probability_9',
    'probability_é',
  ]);
  assert.equal(rows.length, 80);
  const known = new Set(table.map(row => JSON.stringify(row)));
  let right = 0;
  for (const row of rows) {
    assert.ok(known.has(JSON.stringify(row.slice(0, 5))));
    assert.equal(row[5], row[4]);
    const probabilities = row.slice(7).map(Number);
    assert.ok(Math.abs(probabilities.reduce((sum, p) => sum + p) - 1) < 1e-5);
    assert.equal(row[6], report.classes[probabilities.indexOf(Math.max(...probabilities))]);
    if (row[5] === row[6]) right++;
  }
  assert.equal(`${((right / rows.length) * 100).toFixed(1)}%`, report.tech_specs.testing_accuracy);
});

test('an error from the training thread is passed on unchanged, and nothing is written', async () => {
  const { home, historyFile } = await homeWith(history({ rows: 60 }));
  await assert.rejects(trainReport({ historyFile, predict: 'churned', home }), {
    name: 'RowcastError',
    code: 'no_such_column',
    severity: 'refused',
    hint: 'The columns are: "customer", "monthly amount", "plan", "__proto__", "outcome".',
  });
  await assert.rejects(trainReport({ historyFile: join(home, 'none.csv'), predict: 'x', home }), {
    code: 'no_such_file',
  });
  const storeOptions = { reigon: 'eu-west-1' };
  await assert.rejects(trainReport({ historyFile, predict: 'outcome', home, storeOptions }), {
    code: 'bad_option',
  });
  await assert.rejects(trainReport({ historyFile, predict: 'outcome', home, id: '../up' }), {
    code: 'bad_report_id',
  });
  await assert.rejects(readdir(join(home, 'reports')), { code: 'ENOENT' });
});

test('training data without a column that says something is refused, with the reason', async () => {
  const table = history({ rows: 60 });
  for (const [columns, hint] of [
    [[0, 4], undefined],
    [[4], '"outcome" is the only column.'],
  ] as const) {
    const { home, historyFile } = await homeWith(table.map(row => columns.map(i => row[i] ?? '')));
    await assert.rejects(trainReport({ historyFile, predict: 'outcome', home }), {
      code: 'no_usable_columns',
      ...(hint !== undefined && { hint }),
    });
  }
});

test('aborted training ends with the reason of its signal', async () => {
  const { home, historyFile } = await homeWith(history({ rows: 2000 }));
  const controller = new AbortController();
  const training = trainReport({ historyFile, predict: 'outcome', home, signal: controller.signal });
  controller.abort(new Error('enough'));
  await assert.rejects(training, { message: 'enough' });
});

test('a report without an id is named after its training file and column', () => {
  assert.equal(defaultId('data/Telco customer.churn.csv', 'Churn'), 'telco-customer-churn-churn');
  assert.equal(defaultId('/x/café.tsv', 'Größe'), 'cafe-grosse'.replace('grosse', 'gro-e'));
  assert.equal(defaultId('日本.csv', '?'), 'report');
});

slow('values in the testing rows affect only the metrics', async () => {
  const table = history({ rows: 600 });
  const made = async (rows: string[][]) => {
    const { home, historyFile } = await homeWith(rows);
    const { columns, drivers, tech_specs, notes } = await trainClasses({
      historyFile,
      predict: 'outcome',
      home,
      id: 'r',
    });
    const results = await readFile(join(home, 'reports', 'r', 'testing-results.csv'), 'utf8');
    const { testing_accuracy, ...specs } = tech_specs;
    // Problems with values are reported for all of the training data.
    const isOfValues = (note: string) => note.includes('are treated as missing');
    return {
      learned: { columns, specs, notes: notes.filter(note => !isOfValues(note)) },
      drivers: drivers.map(({ column }) => column).sort(),
      valueNotes: notes.filter(isOfValues),
      results: (parse(results) as string[][]).slice(1),
    };
  };
  const { learned, drivers, valueNotes, results } = await made(table);
  assert.deepEqual(valueNotes, []);
  const testing = new Set(results.map(([customer]) => customer));
  assert.equal(testing.size, 120);
  const changed = table.map(row => {
    const [customer = '', , , , outcome = ''] = row;
    return testing.has(customer) ? [customer, 'no amount', 'a new plan', '2024-01-02', outcome] : row;
  });
  const other = await made(changed);
  assert.deepEqual(other.learned, learned);
  assert.deepEqual(other.drivers, drivers);
  assert.deepEqual(other.valueNotes, [
    '"monthly amount": 120 of 554 values are not numbers and are treated as missing: other text (120).',
    '"__proto__": 120 of 548 values are not numbers and are treated as missing: other text (120).',
  ]);
  assert.deepEqual(
    other.results.map(([customer]) => customer),
    results.map(([customer]) => customer),
  );
  assert.notDeepEqual(other.results, results);
});
